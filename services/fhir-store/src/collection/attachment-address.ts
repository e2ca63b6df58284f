import type { CollectionSource } from './collection-source';

type AddressBase = Pick<CollectionSource, 'fhirBaseUrl'>;

/** The address of an attachment: the `url` of an Attachment that is no reference to a Binary. */
export interface AttachmentAddress {
  /** Whether the content is at the origin of the source, to which the collector may send its access token. */
  isOwn: boolean;
  /** What the collector requests: the address as the source wrote it, or the URL to which a relative one resolves. */
  requested: string;
  /** The URL without the parameters of its signature. */
  url: string;
  /** The source signs the address anew at every read. */
  isSigned: boolean;
  /**
   * Identifies the content within the source: a new signature of the same address does not change it. Equal to `url`
   * when the content can be read there again.
   */
  sourceId: string;
}

/**
 * The parameters of presigned URLs. They are recognized by the parameter of the signature, as their names are ordinary
 * words. The path of such a URL names the object.
 */
const signatures: { signature: RegExp; parameters: RegExp }[] = [
  // AWS Signature Version 4 and Google Cloud Storage V4.
  { signature: /^x-(amz|goog)-signature$/i, parameters: /^x-(amz|goog)-/i },
  // CloudFront, AWS Signature Version 2, Google Cloud Storage V2.
  {
    signature: /^signature$/i,
    parameters:
      /^(signature|expires|policy|key-pair-id|hash-algorithm|awsaccesskeyid|googleaccessid|x-amz-security-token)$/i,
  },
  // Shared access signatures of Azure Storage.
  {
    signature: /^sig$/,
    parameters: /^(sig|sv|ss|srt|sr|st|se|sp|spr|sip|si|sdd|skoid|sktid|skt|ske|sks|skv|saoid|suoid|scid)$/,
  },
];

/**
 * Parses an absolute address, or one that begins with a slash and belongs to the origin of the source. The result is
 * undefined for everything else, for example fragments, `data:` and `urn:`.
 */
export function attachmentAddress({ fhirBaseUrl }: AddressBase, requested: string): AttachmentAddress | undefined {
  if (!/^(https?:\/)?\//i.test(requested) || !URL.canParse(requested, fhirBaseUrl)) return undefined;
  const url = new URL(requested, fhirBaseUrl);
  const isOwn = url.origin === new URL(fhirBaseUrl).origin;
  const unsigned = withoutSignature(url);
  if (unsigned !== undefined)
    return { requested, isOwn, isSigned: true, url: unsigned, sourceId: `signed ${unsigned}` };
  // Some sources write addresses below the FHIR base with a leading slash.
  if (requested.startsWith('/'))
    return { requested, isOwn, isSigned: false, url: url.href, sourceId: `rooted ${url.href}` };
  return { requested, isOwn, isSigned: false, url: requested, sourceId: requested };
}

/**
 * Parses the `url` of an Attachment. A relative one is resolved against the FHIR base
 * (https://hl7.org/fhir/R4/datatypes-definitions.html#Attachment.url).
 * @returns undefined for content that needs no request (`data:`, fragments), and for texts that are no address
 */
export function readAttachmentUrl(source: AddressBase, text: string): AttachmentAddress | undefined {
  return attachmentAddress(source, isRelative(text) ? (resolved(source, text) ?? text) : text);
}

/** Whether an Attachment has a `url` from which the collector cannot fetch it: at another host, or at no server. */
export function isUnreachable(source: AddressBase, text: string): boolean {
  const address = readAttachmentUrl(source, text);
  return address ? !address.isOwn : otherScheme.test(text) || text.startsWith('\\\\');
}

const scheme = /^[a-z][a-z\d+.-]*:/i;
/** Names of files on a drive (`C:\`) look like this, too. */
const otherScheme = /^(?!https?:|data:)[a-z][a-z\d+.-]*:\S/i;
/** What sources write instead of an address that they do not have. */
const placeholder = /^n\/a$/i;

/** A word without a path, an extension or a query is no address, but for example `unknown`. */
function isRelative(text: string): boolean {
  return !scheme.test(text) && /^[^/\\#?\s]\S*[./?]/.test(text) && !placeholder.test(text);
}

function resolved({ fhirBaseUrl }: AddressBase, text: string): string | undefined {
  return URL.canParse(text, `${fhirBaseUrl}/`) ? new URL(text, `${fhirBaseUrl}/`).href : undefined;
}

/** The address without the parameters of its signature; undefined when it has none. */
function withoutSignature(url: URL): string | undefined {
  const names = [...url.searchParams.keys()];
  const scheme = signatures.find(({ signature }) => names.some((name) => signature.test(name)));
  if (!scheme) return undefined;
  const unsigned = new URL(url);
  for (const name of names) if (scheme.parameters.test(name)) unsigned.searchParams.delete(name);
  unsigned.hash = '';
  return unsigned.href;
}
