import { type BlockPosition, type FileBlock, typeCodeOf } from '@tributary/record-storage';
import { ConversionCheck } from './conversion-check';

const position = { userId: 1, blockId: '1' };
const file = {
  scope: { userId: 1 },
  at: 5,
  typeCode: typeCodeOf('stu3', 'Observation'),
  from: position,
  to: position,
  count: 3,
  bytes: 9,
};
const good = '{"resourceType":"Observation","id":"a","status":"final","code":{"text":"x"}}';
const bad = '{"resourceType":"Observation","id":"a","code":{"text":"x"}}';

/** Blocks, and a list of those that were read. */
class Blocks {
  readonly read: string[] = [];

  constructor(private readonly blocks: Record<string, { lines: string[]; isComplete?: boolean }>) {}

  async *fileLines(blockFilter: (block: BlockPosition) => boolean): AsyncGenerator<FileBlock> {
    const chosen = Object.entries(this.blocks).filter(([blockId]) => blockFilter({ userId: 1, blockId }));
    for (const [blockId, { lines, isComplete = true }] of chosen) {
      this.read.push(blockId);
      yield await Promise.resolve({
        position: { userId: 1, blockId },
        isComplete,
        lines: lines.map((line) => Buffer.from(line)),
      });
    }
  }
}

it('reads again only what had a failure, or lines that were not looked at', async () => {
  const blocks = new Blocks({
    1: { lines: [good, good] },
    2: { lines: [good, bad, bad] },
    3: { lines: [good], isComplete: false },
  });
  const check = new ConversionCheck((_file, blockFilter) => blocks.fileLines(blockFilter));
  for (let i = 0; i < 3; i++) {
    const reasons: string[] = [];
    expect(await check.countFailures(file, (reason) => reasons.push(reason))).toBe(2);
    expect(reasons).toEqual(Array.from({ length: 2 }, () => expect.stringContaining('Observation.status')));
  }
  expect(blocks.read.join('')).toBe('1232323');
  await check.countFailures({ ...file, typeCode: typeCodeOf('dstu2', 'Observation') }, () => undefined);
  expect(blocks.read.join('')).toBe('1232323123');
});

it('evicts the oldest results at its limit', async () => {
  const blocks = new Blocks({ 1: { lines: [good] }, 2: { lines: [good] }, 3: { lines: [good] } });
  const check = new ConversionCheck((_file, blockFilter) => blocks.fileLines(blockFilter), 2);
  await check.countFailures(file, () => undefined);
  expect(await check.countFailures(file, () => undefined)).toBe(0);
  expect(blocks.read.join('')).toBe('1231');
});
