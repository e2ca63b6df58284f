import { typeCodeOf } from '../type-codes';
import { type BlocksOfRecord, OpenedBlocks, blockKey, idsOf } from './opened-blocks';
import { bigintArray } from '../postgres/binary-arrays';

const observation = typeCodeOf('r4', 'Observation');
const condition = typeCodeOf('r4', 'Condition');

function blocks(length: number, ...ids: number[]): BlocksOfRecord {
  return new Map(ids.map((id) => [blockKey(observation, String(id)), Buffer.alloc(length)]));
}

it('keeps the blocks of each record apart, and forgets those of one', () => {
  const opened = new OpenedBlocks(1_000_000);
  opened.add(1, blocks(2000, 10));
  opened.add(2, blocks(2000, 20));
  expect([...opened.ofRecord(1).keys()]).toEqual([blockKey(observation, '10')]);
  opened.forget(1);
  expect(opened.ofRecord(1).size).toBe(0);
  expect(opened.ofRecord(2).size).toBe(1);
});

it('does not change a map that a reader holds', () => {
  const opened = new OpenedBlocks(1_000_000);
  opened.add(1, blocks(2000, 10));
  const held = opened.ofRecord(1);
  for (let id = 11; id < 80; id++) opened.add(1, blocks(2000, id));
  expect([...held.keys()]).toEqual([blockKey(observation, '10')]);
  expect(opened.ofRecord(1).size).toBe(64);
  expect(opened.ofRecord(1).has(blockKey(observation, '10'))).toBe(false);
});

it('keeps no more bytes than its maximum, and no block that is very short or very long', () => {
  const opened = new OpenedBlocks(10_000);
  for (let user = 1; user <= 20; user++) opened.add(user, blocks(2000, user));
  const kept = Array.from({ length: 20 }, (_, at) => opened.ofRecord(at + 1).size);
  expect(kept).toEqual([...Array.from({ length: 15 }, () => 0), 1, 1, 1, 1, 1]);
  opened.add(30, blocks(100, 1));
  opened.add(31, blocks(200_000, 1));
  expect([opened.ofRecord(30).size, opened.ofRecord(31).size]).toEqual([0, 0]);
});

it('drops the blocks of a record that is not read for a minute', () => {
  let now = 1;
  const opened = new OpenedBlocks(1_000_000, () => now);
  opened.add(1, blocks(2000, 10));
  now += 59_000;
  expect(opened.ofRecord(1).size).toBe(1);
  now += 59_000;
  expect(opened.ofRecord(1).size).toBe(1);
  now += 61_000;
  expect(opened.ofRecord(1).size).toBe(0);
});

it('caches nothing when its maximum is 0', () => {
  const opened = new OpenedBlocks(0);
  opened.add(1, blocks(2000, 10));
  expect(opened.ofRecord(1).size).toBe(0);
});

it('lists the ids of the blocks of one type code', () => {
  const both = new Map([...blocks(2000, 7, 8), [blockKey(condition, '9'), Buffer.alloc(2000)] as const]);
  expect(idsOf(both, observation)).toEqual(bigintArray([7n, 8n]));
  expect(idsOf(both, condition)).toEqual(bigintArray([9n]));
  expect(idsOf(new Map(), condition)).toEqual(bigintArray([]));
});
