import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Addresses, portBaseOf, requireFreePorts } from './addresses';

describe('portBaseOf', () => {
  it.each([
    [undefined, 4000],
    ['', 4000],
    ['5000', 5000],
    ['65500', 65_500],
  ])('reads %p', (text, base) => {
    expect(portBaseOf(text)).toBe(base);
  });

  it.each(['abc', '0', '80', '4.5', '-5', '65501'])('refuses %p', (text) => {
    expect(() => portBaseOf(text)).toThrow('PORT_BASE must be a whole number');
  });
});

describe('Addresses', () => {
  it('assigns ports to every replica, and the ports of the service to a single one', () => {
    const two = new Addresses(5000, 2);
    expect(new Set(two.all().map(([, port]) => port)).size).toBe(two.all().length);
    expect(two.replicaPorts('auth')).toEqual([5040, 5060]);
    expect(new Addresses(5000).replicaPorts('auth')).toEqual([5001]);
  });

  it('rejects invalid ports and numbers of replicas', () => {
    expect(() => new Addresses(65_500, 2)).toThrow('PORT_BASE must leave room');
    for (const replicas of [0, 1.5, 5, Number.NaN])
      expect(() => new Addresses(5000, replicas)).toThrow('whole number from 1 to 4');
  });
});

describe('requireFreePorts', () => {
  it('names the port in use and another base', async () => {
    const other = createServer();
    await new Promise((resolve) => other.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = other.address() as AddressInfo;
    const suggested = port + 1000 > 65_500 ? port - 1000 : port + 1000;
    await expect(requireFreePorts(new Addresses(port))).rejects.toThrow(
      `port ${port} (gateway) is in use. Stop the process that listens there, or set PORT_BASE to move all ports, e.g. PORT_BASE=${suggested} npm start`,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});
