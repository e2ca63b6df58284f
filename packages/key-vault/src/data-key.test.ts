import fc from 'fast-check';
import { DataKey } from './data-key';
import { SEAL_OVERHEAD, UnsealingError } from './sealing';

describe('DataKey', () => {
  const key = DataKey.generate();

  it('opens sealed bytes, which have a fixed overhead', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.string(), (bytes, associatedData) => {
        const sealed = key.seal(Buffer.from(bytes), associatedData);
        expect(sealed.length).toBe(bytes.length + SEAL_OVERHEAD);
        expect(key.open(sealed, associatedData).equals(bytes)).toBe(true);
      }),
    );
  });

  it('never seals equal bytes to equal results', () => {
    const results = new Set(Array.from({ length: 2000 }, () => key.sealText('x', 'associated data').toString('hex')));
    expect(results.size).toBe(2000);
  });

  it('opens nothing with other associated data, another key, or an altered byte', () => {
    const sealed = key.sealText('Ana', 'user 1');
    expect(key.openText(sealed, 'user 1')).toBe('Ana');
    expect(() => key.open(sealed, 'user 2')).toThrow(UnsealingError);
    expect(() => DataKey.generate().open(sealed, 'user 1')).toThrow(UnsealingError);
    for (let i = 0; i < sealed.length; i++) {
      const altered = Buffer.from(sealed);
      altered[i] = (altered[i] as number) ^ 1;
      expect(() => key.open(altered, 'user 1')).toThrow(UnsealingError);
    }
    for (let end = 0; end < sealed.length; end++)
      expect(() => key.open(sealed.subarray(0, end), 'user 1')).toThrow(UnsealingError);
  });

  it('is restored from its bytes', () => {
    const again = DataKey.fromBytes(Buffer.from(key.bytes()));
    expect(again.openText(key.sealText('x', 'p'), 'p')).toBe('x');
    expect(again.blind('term', 'x')).toBe(key.blind('term', 'x'));
    expect(again.derive('ids')).toEqual(key.derive('ids'));
    expect(() => DataKey.fromBytes(Buffer.alloc(16))).toThrow(RangeError);
  });

  it('has different blind indexes for each label and key', () => {
    expect(key.blind('a', 'x')).not.toBe(key.blind('b', 'x'));
    expect(key.blind('a', 'x')).not.toBe(DataKey.generate().blind('a', 'x'));
    expect(key.blinder('a').hash('x')).toBe(key.blind('a', 'x'));
  });

  it('derives bytes of the requested length, different for each label', () => {
    expect(key.derive('a', 48)).toHaveLength(48);
    expect(key.derive('a')).not.toEqual(key.derive('b'));
    expect(key.derive('a')).not.toEqual(key.bytes());
  });
});
