import { logoOf } from './logo';

const namespace = 'xmlns="http://www.w3.org/2000/svg"';
const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const jpeg = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1');
const webp = Buffer.from('RIFF\x1a\0\0\0WEBPVP8L', 'latin1');
const svg = Buffer.from(`<svg ${namespace}/>`);

describe('logoOf', () => {
  it.each([
    ['a.png', 'image/png', png],
    ['a.jpg', 'image/jpeg', jpeg],
    ['folder.png/A.JPEG', 'image/jpeg', jpeg],
    ['a.webp', 'image/webp', webp],
    ['a.svg', 'image/svg+xml', svg],
  ])('reads %s as %s', (name, mediaType, content) => {
    const url = `data:${mediaType};base64,${content.toString('base64')}`;
    expect(logoOf(content, name)).toBe(url);
    expect(logoOf(content)).toBe(url);
  });

  it.each([
    `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- of -> a tool --><svg ${namespace}></svg>`,
    `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<svg\n  width="40"\n  ${namespace}>`,
  ])('reads the SVG document %j', (text) => {
    expect(logoOf(Buffer.from(text))).toMatch(/^data:image\/svg\+xml;base64,/);
  });

  it.each([
    ['nothing', ''],
    ['a page', `<html><svg ${namespace}/></html>`],
    ['a GIF', 'GIF89a'],
    ['a sound in RIFF', 'RIFF\x1a\0\0\0WAVEfmt '],
    ['an SVG document without its namespace', '<svg width="40"/>'],
    ['another element', `<svgx ${namespace}/>`],
    ['many comments', '<!---->'.repeat(9000)],
  ])('refuses %s', (_what, text) => {
    expect(() => logoOf(Buffer.from(text, 'latin1'), 'a.svg')).toThrow('The file is no PNG, JPEG, WebP or SVG image');
  });

  it('refuses a name of another type', () => {
    expect(() => logoOf(jpeg, 'a.png')).toThrow('The file is image/jpeg, and its name does not end with .jpg or .jpeg');
    expect(() => logoOf(svg, 'svg')).toThrow('The file is image/svg+xml, and its name does not end with .svg');
  });

  it('refuses more than 64 kB', () => {
    const ofBytes = (bytes: number): Buffer => Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
    expect(logoOf(ofBytes(65_536))).toHaveLength(22 + Math.ceil(65_536 / 3) * 4);
    expect(() => logoOf(ofBytes(65_537))).toThrow('The file has 65537 bytes, more than 65536');
  });
});
