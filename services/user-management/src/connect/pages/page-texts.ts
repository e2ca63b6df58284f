/** What is said about one error. `{app}`, `{system}` and `{wait}` are replaced. */
export interface ErrorText {
  /** The heading and the title of the page. */
  title: string;
  /** What happened. */
  happened: string;
  /** Whether anything was saved. */
  saved: string;
  /** What the user can do. */
  next: string;
}

/** The errors that a browser can meet. */
export type PageError =
  | 'broken_link'
  | 'unknown_address'
  | 'invalid_client'
  | 'invalid_token'
  | 'health_system_not_found'
  | 'connection_not_found'
  | 'unsupported_fhir_version'
  | 'invalid_redirect_uri'
  | 'connect_link_ended'
  | 'invalid_origin'
  | 'too_many_requests'
  | 'temporarily_unavailable'
  | 'internal_error'
  | 'unreadable_response'
  | 'used_state'
  | 'state_not_of_browser'
  | 'callback_failed';

/** What is asked before a visit that a link begins. `{app}`, `{system}` and `{account}` are replaced. */
export interface LinkTexts {
  /** The heading and the title of the page. */
  title: string;
  purpose: string;
  account: string;
  /** In place of `account`, where the client has given it no name. */
  unnamedAccount: string;
  warning: string;
  signIn: string;
  yes: string;
  no: string;
}

/** All texts of the pages in one language. */
export interface PageTexts {
  errors: Record<PageError, ErrorText>;
  link: LinkTexts;
  /** Stands for the name of a client application that is not known. */
  app: string;
  /** Stands for the name of a health system that is not known. */
  system: string;
  tryAgain: string;
  backToApp: string;
  details: { summary: string; app: string; system: string; code: string; status: string; request: string };
}
