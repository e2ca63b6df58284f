import { DataKey, UnsealingError } from '@tributary/key-vault';
import { RecordKeys } from '../keys/record-keys';
import { kindOf } from '../kinds';
import { packContent } from './block-content';
import { OpenedBlocks } from './opened-blocks';

const kind = kindOf('r4', 'Observation');
const keys = new RecordKeys(7, DataKey.generate());
const sealed = (text: string, blockId = 1n): Buffer => keys.sealBlock(kind, blockId, packContent(Buffer.from(`${text}\n`)));

it('gives the lines of the content it is given, not those that it opened in its place before', () => {
  const opened = new OpenedBlocks();
  const [first, second] = [sealed('first'), sealed('second')];
  for (const [content, text] of [[first, 'first'], [first, 'first'], [second, 'second'], [first, 'first']] as const) {
    expect(opened.lines(keys, kind, '1', content).toString()).toBe(`${text}\n`);
  }
});

it('opens a block once', () => {
  const opened = new OpenedBlocks();
  const content = sealed('x'.repeat(5000));
  const lines = opened.lines(keys, kind, '1', content);
  expect(opened.lines(keys, kind, '1', Buffer.from(content))).toBe(lines);
  opened.forget(70);
  expect(opened.lines(keys, kind, '1', content)).toBe(lines);
  opened.forget(7);
  expect(opened.lines(keys, kind, '1', content)).not.toBe(lines);
});

it('does not open what was sealed for another place', () => {
  const opened = new OpenedBlocks();
  const content = sealed('here');
  opened.lines(keys, kind, '1', content);
  expect(() => opened.lines(keys, kind, '2', content)).toThrow(UnsealingError);
  expect(() => opened.lines(new RecordKeys(8, DataKey.generate()), kind, '1', content)).toThrow(UnsealingError);
});

it('keeps no more than a bounded number of bytes', () => {
  const opened = new OpenedBlocks();
  const big = 'y'.repeat(1_000_000);
  const first = sealed(big);
  const kept = opened.lines(keys, kind, '1', first);
  for (let block = 2; block < 80; block++) opened.lines(keys, kind, String(block), sealed(big, BigInt(block)));
  expect(opened.lines(keys, kind, '1', first)).not.toBe(kept);
});
