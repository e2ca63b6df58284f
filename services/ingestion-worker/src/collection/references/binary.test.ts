import { UnreadableResponse } from '../../health-system/request-failures';
import { attachedBinary } from './binary';

const content = Buffer.from('A note.\n');
const data = content.toString('base64');
const read = (...args: Parameters<typeof attachedBinary>): unknown => JSON.parse(attachedBinary(...args).json);

describe('attachedBinary', () => {
  it('wraps content in the form of the release', () => {
    expect(read('r4', { binaryId: 'b1' }, 'text/plain', content)).toEqual({
      resourceType: 'Binary',
      id: 'b1',
      contentType: 'text/plain',
      data,
    });
    expect(read('stu3', { binaryId: 'b1' }, 'text/plain', content)).toEqual({
      resourceType: 'Binary',
      id: 'b1',
      contentType: 'text/plain',
      content: data,
    });
    expect(read('dstu2', { binaryId: 'b1' }, 'text/plain', content)).toEqual({
      resourceType: 'Binary',
      id: 'b1',
      contentType: 'text/plain',
      content: data,
    });
  });

  it('unwraps a Binary resource', () => {
    const sent = Buffer.from(JSON.stringify({ resourceType: 'Binary', id: 'b1', contentType: 'text/plain', data }));
    expect(read('r4', { binaryId: 'b1' }, 'application/fhir+json; charset=utf-8', sent)).toMatchObject({
      contentType: 'text/plain',
      data,
    });
    const old = Buffer.from(
      JSON.stringify({ resourceType: 'Binary', id: 'b1', contentType: 'text/plain', content: data }),
    );
    expect(read('dstu2', { binaryId: 'b1' }, 'application/json+fhir', old)).toMatchObject({
      contentType: 'text/plain',
      content: data,
    });
  });

  it('keeps JSON that is not a resource', () => {
    expect(read('r4', { binaryId: 'b1' }, 'application/json', Buffer.from('{"a":1}'))).toMatchObject({
      contentType: 'application/json',
      data: Buffer.from('{"a":1}').toString('base64'),
    });
  });

  it('keeps another resource as the content of an address that is not that of a Binary', () => {
    const url = 'https://ehr.example.org/fhir/Bundle/1';
    const document = Buffer.from('{"resourceType":"Bundle","type":"document"}');
    expect(read('r4', { url }, 'application/fhir+json', document)).toEqual({
      resourceType: 'Binary',
      id: url,
      contentType: 'application/fhir+json',
      data: document.toString('base64'),
    });
    expect(() => attachedBinary('r4', { binaryId: 'b1' }, 'application/fhir+json', document)).toThrow(
      UnreadableResponse,
    );
    const outcome = Buffer.from('{"resourceType":"OperationOutcome"}');
    expect(() => attachedBinary('r4', { url }, 'application/fhir+json', outcome)).toThrow(UnreadableResponse);
  });

  it('rejects another resource', () => {
    expect(() =>
      attachedBinary(
        'r4',
        { binaryId: 'b1' },
        'application/fhir+json',
        Buffer.from('{"resourceType":"OperationOutcome"}'),
      ),
    ).toThrow(UnreadableResponse);
  });

  it('rejects a Binary that was cut short', () => {
    expect(() =>
      attachedBinary(
        'r4',
        { binaryId: 'b1' },
        'application/fhir+json',
        Buffer.from('{"resourceType":"Binary","data":"QSBu'),
      ),
    ).toThrow(UnreadableResponse);
  });

  it('warns of a wrong media type', () => {
    expect(attachedBinary('r4', { binaryId: 'b1' }, 'application/pdf', content).warning).toContain('media type');
  });
});
