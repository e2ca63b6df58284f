import { limitSetting } from './limit-setting';

describe('limitSetting', () => {
  it.each([
    [undefined, { quota: 60, windowSeconds: 600 }],
    ['6000/60', { quota: 6000, windowSeconds: 60 }],
    ['off', undefined],
  ])('reads %s', (text, policy) => {
    expect(limitSetting('60/600').parse(text)).toEqual(policy);
  });

  it.each(['', '0/60', '60/0', '60', '-1/60', '1.5/60', '60/60/60', 'OFF', '10000000000/60'])('refuses %j', (text) => {
    expect(limitSetting('60/600').safeParse(text).success).toBe(false);
  });
});
