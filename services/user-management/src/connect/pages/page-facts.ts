import type { Response } from 'express';
import type { PageError } from './english';

/** What is known of a connect session that fails. The names are those of the registration and of the directory. */
export interface PageFacts {
  appName?: string;
  systemName?: string;
  /** The registered URL of the client application, with the outcome of the session. */
  appUrl?: string | undefined;
  /** The error of the page, where its error code is one of several. */
  pageError?: PageError;
}

/** Keeps what is shown until the response. */
export function showIn({ locals }: Response): (facts: PageFacts) => void {
  return (facts) => {
    locals['pageFacts'] = { ...(locals['pageFacts'] as PageFacts | undefined), ...facts };
  };
}

export function pageFactsOf({ locals }: Response): PageFacts {
  return (locals['pageFacts'] as PageFacts | undefined) ?? {};
}
