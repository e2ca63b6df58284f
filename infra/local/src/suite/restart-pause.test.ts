import { RestartPause } from './restart-pause';

it('doubles the delay up to 30 seconds while a process ends soon after its start', () => {
  const pause = new RestartPause();
  expect([0, 100, 0, 50, 0, 0, 0, 9_999].map((lived) => pause.after(lived))).toEqual([
    500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

it('resets the delay after the process has run for a while', () => {
  const pause = new RestartPause();
  for (let time = 0; time < 5; time++) pause.after(0);
  expect([pause.after(60_000), pause.after(0)]).toEqual([500, 1000]);
});
