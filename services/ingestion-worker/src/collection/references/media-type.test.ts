import { mediaTypeOf } from './media-type';

const pdf = Buffer.from('%PDF-1.7\n...');
const text = Buffer.from('Seen today for a cough.\n');
const bytes = Buffer.from([0, 1, 2, 3, 250, 251]);

describe('mediaTypeOf', () => {
  it.each([
    ['text/plain; charset=utf-8', text, 'text/plain; charset=utf-8', false],
    ['text/html', Buffer.from('<p>Note</p>'), 'text/html', false],
    ['application/dicom', bytes, 'application/dicom', false],
    ['application/pdf', pdf, 'application/pdf', false],
    ['application/pdf', text, 'text/plain; charset=utf-8', true],
    ['image/png', bytes, 'application/octet-stream', true],
    ['application/octet-stream', pdf, 'application/pdf', false],
    ['application/octet-stream', text, 'text/plain; charset=utf-8', false],
    [undefined, Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg', false],
    ['nonsense', bytes, 'application/octet-stream', false],
    [undefined, Buffer.alloc(0), 'application/octet-stream', false],
  ])('%s', (declared, content, mediaType, isCorrected) => {
    expect(mediaTypeOf(declared, content)).toEqual({ mediaType, isCorrected });
  });

  it('recognizes text when the sample ends inside a character', () => {
    expect(mediaTypeOf(undefined, Buffer.from(`${'x'.repeat(4095)}ü`)).mediaType).toBe('text/plain; charset=utf-8');
  });
});
