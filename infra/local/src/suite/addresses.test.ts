import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Addresses, portBaseOf, requireFreePorts } from './addresses';

describe('portBaseOf', () => {
  it.each([[undefined, 4000], ['', 4000], ['5000', 5000], ['65500', 65_500]])('reads %p', (text, base) => {
    expect(portBaseOf(text)).toBe(base);
  });

  it.each(['abc', '0', '80', '4.5', '-5', '65501'])('refuses %p', (text) => {
    expect(() => portBaseOf(text)).toThrow('PORT_BASE must be a whole number');
  });
});

describe('requireFreePorts', () => {
  it('names the port that is taken and another base, also one that is below', async () => {
    const other = createServer();
    await new Promise((resolve) => other.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = other.address() as AddressInfo;
    const suggested = port + 1000 > 65_500 ? port - 1000 : port + 1000;
    await expect(requireFreePorts(new Addresses(port))).rejects.toThrow(`port ${port} (gateway) is taken. Stop what listens there, or set PORT_BASE to move all ports, e.g. PORT_BASE=${suggested} npm start`);
    await new Promise((resolve) => other.close(resolve));
  });
});
