import { findGrantProblems } from '@tributary/postgres';
import { describeDatabase, withDatabase } from '../suite/database';
import { readySuite } from '../suite/ready';

describeDatabase('the database of the suite', () => {
  it('grants each service what it needs, and nothing else, after all migrations', async () => {
    expect(await withDatabase(readySuite(), findGrantProblems)).toEqual([]);
  });
});
