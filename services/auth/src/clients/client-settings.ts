import { visibleText } from '@tributary/contracts';
import { z } from 'zod';
import { frameOriginProblem } from './frame-origin';
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

/** The longest time for which the secret before the last one works: 30 days. */
export const maxOverlapHours = 720;
export const overlapHours = z.int().min(0).max(maxOverlapHours);

/** Redirect URIs of a client. */
export const maxRedirectUris = 100;

/** Frame origins of a client, which a header of each page names. */
export const maxFrameOrigins = 20;

/** @param sandboxMode allows http on localhost */
export function clientFrameOrigin(sandboxMode: boolean): z.ZodType<string> {
  return z.string().superRefine((origin, context) => {
    const problem = frameOriginProblem(origin, sandboxMode);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });
}
