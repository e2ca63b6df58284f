import { dateOf } from '../web/src/texts/date-of';

describe('a date of FHIR', () => {
  it.each([
    ['2016-05-02', 'May 2, 2016'],
    ['2016-05', 'May 2016'],
    ['2016', '2016'],
  ])('%s is shown as %s', (date, shown) => expect(dateOf('en', date)).toBe(shown));

  it.each(['1980-00-00', '1980-13-01', '1980-02-30', '1980-00'])('that does not exist is shown as it is: %s', (date) =>
    expect(dateOf('en', date)).toBe(date),
  );
});
