import { PartialWorkError } from '../databases/unavailable';
import { describeError } from './handle-errors';

describe('describeError', () => {
  it('describes the error that ended work that was done in part', () => {
    const cause = Object.assign(new Error('relation "resource" does not exist'), { code: '42P01' });
    expect(describeError(new PartialWorkError(cause))).toMatchObject({
      type: 'Error',
      message: 'relation "resource" does not exist',
      code: '42P01',
    });
  });

  it('leaves out the causes of other errors, which can quote values', () => {
    const cause = new Error('invalid birth date: 1970-01-01');
    expect(JSON.stringify(describeError(new Error('the resource was refused', { cause })))).not.toContain('1970-01-01');
  });

  it('leaves out the messages of database errors, which can quote values', () => {
    const error = Object.assign(new Error('duplicate key: (name)=(Doe)'), { code: '23505', severity: 'ERROR' });
    const described = describeError(error);
    expect(described.code).toBe('23505');
    expect(JSON.stringify(described)).not.toContain('Doe');
  });
});
