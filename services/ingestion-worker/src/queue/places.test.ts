import { Places } from './places';

describe('Places', () => {
  const takeAll = (places: Places, host: string): number => {
    let taken = 0;
    while (places.take(host)) taken++;
    return taken;
  };

  it('leaves places to other hosts, however many collections one has', () => {
    const places = new Places(64);
    expect([takeAll(places, 'a'), takeAll(places, 'b'), takeAll(places, 'c'), takeAll(places, 'd')]).toEqual([32, 16, 8, 4]);
    for (let left = 0; left < 32; left++) places.leave('a');
    expect(takeAll(places, 'd')).toBeGreaterThan(10);
    expect(places.take('e')).toBe(true);
  });

  it('always has one for whoever comes when it is empty', () => {
    const places = new Places(1);
    expect([places.take('a'), places.take('a'), places.take('b')]).toEqual([true, false, false]);
    places.leave('a');
    expect(places.take('b')).toBe(true);
  });

  it('lets those come again in their order', () => {
    const places = new Places(1);
    const returns = [places.nextReturn(0), places.nextReturn(5), places.nextReturn(5), places.nextReturn(9000)];
    expect(returns).toEqual([...returns].sort((a, b) => a - b));
    expect(new Set(returns).size).toBe(4);
    expect(returns[3]).toBeGreaterThan(9000);
  });
});
