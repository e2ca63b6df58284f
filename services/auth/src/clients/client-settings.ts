import { visibleText } from '@tributary/contracts';
import { isResourceType, releases } from '@tributary/fhir-definitions';
import { assertPublicUrl } from '@tributary/outbound';
import { z } from 'zod';
import { type JsonWebKeySet, registrableKeySet } from '../client-authentication/key-set';
import { frameOriginProblem } from './frame-origin';
import { logoOf } from './logo';
import { redirectUriProblem } from './redirect-uri';

/** What can be changed of a client. Absent: unchanged, or the default. */
export interface ClientSettings {
  name?: string | undefined;
  redirectUris?: string[] | undefined;
  /** The resource types that users are asked to agree to, sorted, with Patient. */
  types?: string[] | 'all' | undefined;
  /** Without a limit, a consent lasts until the user ends it. */
  consentDays?: number | 'unlimited' | undefined;
  /** How many people the record of a user may hold. */
  people?: 'one' | 'several' | undefined;
  /** The image that pages show beside the name, as a data: URL. */
  logo?: `data:${string}` | 'none' | undefined;
  /** The origins whose pages may show the connect pages in a frame. */
  frameOrigins?: string[] | 'none' | undefined;
  /** The public keys by which it can authenticate instead of by its secret: a key set, or the URL of one. */
  jwks?: JsonWebKeySet | 'none' | undefined;
  jwksUrl?: string | 'none' | undefined;
  /** The organisation that manages it in the console. */
  organisation?: string | undefined;
}

/** Patients read it on pages. */
export const clientName = visibleText(200);

export const clientRedirectUri = z
  .string()
  .max(2048)
  .superRefine((uri, context) => {
    const problem = redirectUriProblem(uri);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

/** Redirect URIs of a client. */
export const maxRedirectUris = 100;

export const clientRedirectUris = z
  .array(clientRedirectUri)
  .min(1)
  .max(maxRedirectUris)
  .refine((uris) => new Set(uris).size === uris.length, 'must be different from each other');

/** The longest time for which the secret before the last one works: 30 days. */
export const maxOverlapHours = 720;
export const overlapHours = z.int().min(0).max(maxOverlapHours);

/** Resource types of a client. */
export const maxTypes = 200;

/** Whether a release of FHIR has this resource type. */
export function isKnownType(type: string): boolean {
  return releases.some((release) => isResourceType(release, type));
}

/** The types as they are stored: each once, sorted, with Patient. */
export function withPatient(types: readonly string[]): string[] {
  return [...new Set(['Patient', ...types])].sort();
}

/** Frame origins of a client, which a header of each page names. */
export const maxFrameOrigins = 20;

/** @param sandboxMode allows http on localhost */
export function clientFrameOrigin(sandboxMode: boolean): z.ZodType<string> {
  return z.string().superRefine((origin, context) => {
    const problem = frameOriginProblem(origin, sandboxMode);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });
}

/** The image that pages show beside the name, as a data: URL. */
export const clientLogo = z.string().refine(isLogo, {
  message: 'must be a PNG, JPEG, WebP or SVG image of 64 kB at most, as a data: URL in base64 with its media type',
});

function isLogo(text: string): text is `data:${string}` {
  try {
    return logoOf(Buffer.from(text.slice(text.indexOf(',') + 1), 'base64')) === text;
  } catch {
    return false;
  }
}

/** A key set that can be registered, from its JSON. */
export const clientKeySet = z.looseObject({ keys: z.array(z.looseObject({})) }).superRefine((set, context) => {
  const problem = problemOf(() => registrableKeySet(set));
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** @param sandboxMode allows http and private addresses */
export function clientKeySetUrl(sandboxMode: boolean): z.ZodType<string> {
  return z
    .string()
    .max(2048)
    .superRefine((text, context) => {
      const problem = problemOf(() => assertKeySetUrl(text, sandboxMode));
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });
}

/**
 * @param sandboxMode allows http and private addresses
 * @throws Error when no key set can be fetched from the address
 */
export function assertKeySetUrl(text: string, sandboxMode: boolean): void {
  if (!URL.canParse(text)) throw new Error('It is not an absolute address');
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw new Error('It is not a web address');
  if (!sandboxMode) assertPublicUrl(url);
}

function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
