import { prepared, preparedForUser } from './statement-cache';

describe('prepared shapes', () => {
  it('are prepared at their second use', () => {
    expect(prepared('a', 'SELECT 1')).toEqual({ text: 'SELECT 1' });
    const statement = prepared('a', 'SELECT 1');
    expect(statement).toEqual({ name: expect.stringMatching(/^a-[0-9a-f]{16}$/), text: 'SELECT 1' });
    expect(prepared('a', 'SELECT 1')).toEqual(statement);
  });

  it('contain the user as a literal until then', () => {
    const text =
      'SELECT FROM t WHERE user_id = $1::bigint AND a = $2::bigint AND b = (SELECT c FROM u WHERE user_id = $1) AND d = $11';
    const first = preparedForUser('b', text, [42, 'x']);
    expect(first).toEqual({
      statement: {
        text: 'SELECT FROM t WHERE user_id = 42::bigint AND a = $1::bigint AND b = (SELECT c FROM u WHERE user_id = 42::bigint) AND d = $10',
      },
      values: ['x'],
    });
    expect(preparedForUser('b', text, [43, 'y'])).toEqual({
      statement: { name: expect.any(String), text },
      values: [43, 'y'],
    });
    expect(() => preparedForUser('b', 'SELECT $1', ['1; DROP TABLE t'])).toThrow(SyntaxError);
  });

  it('are limited in number, and shapes that are used once do not count', () => {
    for (let n = 0; n < 1000; n++) prepared('odd', `SELECT 'odd ${n}'`);
    prepared('ordinary', `SELECT 'ordinary'`);
    expect(prepared('ordinary', `SELECT 'ordinary'`).name).toBeDefined();
    const names = new Set<string>();
    for (let n = 0; n < 1000; n++)
      for (let use = 0; use < 2; use++) names.add(prepared('many', `SELECT 'many ${n}'`).name ?? '');
    expect(names.size).toBeLessThanOrEqual(101);
  });

  it('replace one that has been idle for an hour', () => {
    for (let n = 0; n < 1000; n++) for (let use = 0; use < 2; use++) prepared('full', `SELECT 'full ${n}'`);
    const late = (): string | undefined => prepared('late', `SELECT 'late'`).name;
    expect([late(), late()]).toEqual([undefined, undefined]);
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_700_000);
    expect([late(), late()]).toEqual([undefined, expect.any(String)]);
    now.mockRestore();
  });
});
