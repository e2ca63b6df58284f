import { textOfDocument } from './document-text';

const signal = new AbortController().signal;
const textOf = async (content: string | Buffer, mediaType?: string): Promise<string> =>
  (await textOfDocument({ mediaType, bytes: Buffer.from(content) }, signal)).text;

/** A PDF with one line of text, or an empty page; its offsets are right. */
function pdf(line: string): Buffer {
  const stream = line === '' ? '' : `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = text.length;
  text += `xref\n0 6\n0000000000 65535 f \n${table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

const cda = `<?xml version="1.0"?>
<ClinicalDocument xmlns="urn:hl7-org:v3"><title>Summary of Care</title>
<recordTarget><patientRole><patient><name>Ignored</name></patient></patientRole></recordTarget>
<component><structuredBody><component><section><code code="48765-2"/><title>Allergies</title>
<text><table><thead><tr><th>Substance</th><th>Reaction</th></tr></thead><tbody>
<tr><td>Penicillin &amp; others</td><td><content ID="r1">Hives</content></td></tr></tbody></table></text>
<entry><act><text>coded entry</text></act></entry></section></component>
<component><section><title>Plan</title><text><paragraph>Call us.</paragraph><list><item>Walk</item><item>Rest</item></list></text></section></component>
</structuredBody></component></ClinicalDocument>`;

describe('the text of a document', () => {
  it('of plain text keeps its lines', async () => {
    expect(await textOf('One\r\n\r\nTwo  \n', 'text/plain')).toBe('One\n\nTwo');
  });

  it.each([
    ['a stated charset', 'text/plain; charset=iso-8859-1'],
    ['bytes that are not UTF-8', 'text/plain'],
    ['a charset that does not exist', 'text/plain; charset=nonsense'],
  ])('decodes %s', async (_what, mediaType) => {
    expect(await textOf(Buffer.from('Müller', 'latin1'), mediaType)).toBe('Müller');
  });

  it('decodes UTF-16 by its byte order mark', async () => {
    expect(await textOf(Buffer.from('\ufeffMüller', 'utf16le'), 'text/plain')).toBe('Müller');
  });

  it('of HTML has a line for each block, row and item, and no scripts', async () => {
    const html =
      '<html><head><title>t</title><style>p{}</style></head><body><h1>Note</h1><p>Blood  pressure<br>120&nbsp;/ 80</p><script>alert(1)</script><ul><li>One</li><li>Two</li></ul><table><tr><td>A</td><td>B</td></tr></table></body></html>';
    expect(await textOf(html, 'text/html')).toBe('Note\n\nBlood pressure\n120 / 80\n\n- One\n- Two\n\nA | B');
    expect(await textOf(html)).toContain('Blood pressure');
  });

  it.each([
    ['the default namespace', cda],
    ['a namespace prefix', cda.replaceAll(/<(\/?)(?=[a-zA-Z])/g, '<$1n1:').replace('xmlns=', 'xmlns:n1=')],
  ])('of CDA has the narrative of each section: %s', async (_what, xml) => {
    expect(await textOf(xml, 'application/xml')).toBe(
      '# Summary of Care\n\n## Allergies\n\nSubstance | Reaction\nPenicillin & others | Hives\n\n## Plan\n\nCall us.\n\n- Walk\n- Rest',
    );
  });

  it('of RTF has paragraphs, characters and cells, and no tables of fonts or pictures', async () => {
    const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator Word;}{\pict 00ff}\pard Patient\b  name\b0: M\'fcller\par Temp\'e9rature \u8805?38 \{high\}\constructor\par\row A\cell B\cell\row}`;
    expect(await textOf(rtf, 'text/rtf')).toBe('Patient name: Müller\nTempérature ≥38 {high}\nA | B |');
  });

  it('of a PDF has its pages', async () => {
    expect(await textOf(pdf('Chest X-ray: clear'), 'application/pdf')).toBe('[page 1 of 1]\nChest X-ray: clear');
    expect(await textOf(pdf('stated as text'), 'text/plain')).toContain('stated as text');
  });

  it.each([
    ['a PDF without text', pdf(''), 'application/pdf', 'no text'],
    ['a damaged PDF', Buffer.from('%PDF-1.4\nnonsense'), 'application/pdf', 'cannot be read'],
    ['a picture', Buffer.from([1, 2, 3]), 'image/png', 'no text'],
    [
      'a Word document',
      Buffer.from('PK\u0003\u0004'),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'cannot be read',
    ],
    ['an unknown format', Buffer.from([0, 1]), 'application/octet-stream', 'cannot be read'],
  ])('is refused for %s', async (_what, content, mediaType, reason) => {
    await expect(textOf(content, mediaType)).rejects.toThrow(reason);
  });

  it.each([
    ['html', `<p>${'<div>'.repeat(9000)}deep`, 'text/html'],
    ['cda', `<ClinicalDocument><section><text>${'<list><item>'.repeat(4900)}deep`, 'text/xml'],
    ['rtf', `{\\rtf1 ${'{'.repeat(300_000)}deep`, 'text/rtf'],
  ])('of deeply nested %s is read without recursion', async (_what, content, mediaType) => {
    expect(await textOf(content, mediaType)).toContain('deep');
  });

  it('of markup that is nested too deep is its beginning', async () => {
    const bytes = Buffer.from(`<p>beginning${'<div>'.repeat(1_000_000)}end`);
    expect(await textOfDocument({ mediaType: 'text/html', bytes }, signal)).toEqual({
      text: 'beginning',
      isCutOff: true,
    });
  });

  it.each([
    ['html', `<p>${'<b>a</b>'.repeat(1_200_000)}`, 'text/html'],
    ['html with spaces', `<p>${'<b>a</b> '.repeat(1_100_000)}`, 'text/html'],
    ['cda', `<ClinicalDocument><section><text>${'<content>a</content>'.repeat(500_000)}`, 'text/xml'],
    ['rtf', `{\\rtf1 ${"\\'61".repeat(2_400_000)}`, 'text/rtf'],
  ])('of %s in one line is read in linear time', async (_what, content, mediaType) => {
    const text = await textOf(content, mediaType);
    // One pattern for the whole text would need a deep stack.
    expect([text.slice(0, 1), text.search(/[^a ]|  /)]).toEqual(['a', -1]);
  });

  it.each([
    ['html', '<p>aaaaaaaaa</p>'.repeat(400_000), 'text/html'],
    ['html in one line', `<p>${'<b>aaaaaaaaa</b>'.repeat(400_000)}`, 'text/html'],
    ['rtf', `{\\rtf1 ${'aaaaaaaaa '.repeat(400_000)}}`, 'text/rtf'],
    ['text', 'aaaaaaaaa\n'.repeat(400_000), 'text/plain'],
  ])('of long %s ends at the limit, and says so', async (_what, content, mediaType) => {
    const { text, isCutOff } = await textOfDocument({ mediaType, bytes: Buffer.from(content) }, signal);
    expect(isCutOff).toBe(true);
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(text.length).toBeLessThanOrEqual(2_000_000);
  });

  it('ends with the call', async () => {
    const ended = new AbortController();
    const reading = textOfDocument({ mediaType: 'application/pdf', bytes: pdf('text') }, ended.signal);
    ended.abort(new Error('the client disconnected'));
    await expect(reading).rejects.toThrow('the client disconnected');
  });
});
