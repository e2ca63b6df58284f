import { attachmentHeaders, toAttachmentHeaders } from './internal';

it('encodes any text for headers', () => {
  const attachment = {
    sourceId: 'https://ehr.example.org/Dokument?n=Müller&x=\n',
    mediaType: 'text/plain; charset="ü"',
  };
  expect(attachmentHeaders.parse({ ...toAttachmentHeaders(attachment), host: 'x' })).toEqual({
    'x-attachment-source-id': attachment.sourceId,
    'x-attachment-media-type': attachment.mediaType,
  });
  expect(attachmentHeaders.safeParse({ ...toAttachmentHeaders({ ...attachment, sourceId: '' }) }).success).toBe(false);
});
