/** What is said about one error. */
interface ErrorText {
  title: string;
  happened: string;
  /** Default: `nothingSaved`. */
  saved?: string;
  /** What the user can do. */
  next: string;
}

/**
 * The texts of the pages. `{app}`, `{system}`, `{account}` and `{wait}` are replaced.
 */
export const english = {
  errors: {
    broken_link: {
      title: 'This link does not work',
      happened: 'The link from {app} is incomplete or damaged.',
      next: 'Go back to {app} and try again. If it happens again, tell the makers of {app}.',
    },
    unknown_address: {
      title: 'There is no page here',
      happened: 'This address does not exist. The link that led here may have been cut off.',
      next: 'Go back to {app} and try again.',
    },
    invalid_client: {
      title: 'This app is not known here',
      happened: 'The app that sent you here is not registered with this service.',
      next: 'Please tell the makers of the app. Only they can correct it.',
    },
    invalid_token: {
      title: 'Your sign-in has ended',
      happened: 'Your sign-in at {app} is no longer valid.',
      next: 'Go back to {app}, sign in again, and then connect.',
    },
    health_system_not_found: {
      title: 'This health system was not found',
      happened: 'The health system that you chose in {app} is not in our directory.',
      next: 'Go back to {app} and choose another health system.',
    },
    connection_not_found: {
      title: 'This connection was not found',
      happened: 'You wanted to renew a connection with {system}. It does not exist, or belongs to another account.',
      saved: 'Nothing was changed. Your other connections stay as they are.',
      next: 'Go back to {app} and connect the health system anew.',
    },
    unsupported_fhir_version: {
      title: 'Your record is not available in this format',
      happened: 'Your record was requested by {app} in a format that cannot be read from {system}.',
      next: 'Go back to {app} and choose another health system, or tell the makers of {app}.',
    },
    invalid_redirect_uri: {
      title: 'We stopped to protect your record',
      happened: 'The link asks us to send you to an address that {app} has not registered.',
      next: 'Do not use this link again. Open {app} yourself and connect from there. If it happens again, tell the makers of {app}.',
    },
    connect_link_ended: {
      title: 'This link has ended',
      happened:
        'A link from {app} works once, for ten minutes, and in the browser that opens it first. This one was used, took too long, or was opened somewhere else.',
      next: 'Open {app} yourself and connect from there again.',
    },
    invalid_origin: {
      title: 'The answer did not come from our page',
      happened: 'Another page has answered for you whether you want to connect. We have not accepted that answer.',
      next: 'Open {app} yourself and connect from there. If it happens again, tell the makers of {app}.',
    },
    too_many_requests: {
      title: 'Too many attempts',
      happened: 'There were too many attempts to connect in a short time.',
      saved: 'This attempt was not carried out. Nothing was connected by it.',
      next: 'Please wait {wait}, and then try again.',
    },
    temporarily_unavailable: {
      title: 'Connecting is not possible at the moment',
      happened: 'A part of our service is not available, so {app} cannot connect with {system} now.',
      next: 'Please try again in a few minutes.',
    },
    internal_error: {
      title: 'Something went wrong on our side',
      happened: 'An unexpected error of our service has prevented the connection with {system}.',
      next: 'Please try again in a few minutes. If it happens again, tell the makers of {app}, with the request below.',
    },
    unreadable_response: {
      title: 'You came back with an incomplete link',
      happened: 'The link by which the health system sent you back is incomplete, so the sign-in cannot be completed.',
      next: 'Go back to {app} and connect again.',
    },
    used_state: {
      title: 'This sign-in is finished already',
      happened:
        'A sign-in at a health system can be used once, and this one was used. That happens when the page is loaded again or opened a second time.',
      saved: 'Nothing was changed this time. A connection that was made before stays.',
      next: 'Go back to {app}. It shows whether the health system is connected. If it is not, connect again.',
    },
    state_not_of_browser: {
      title: 'This sign-in is not open in this browser',
      happened:
        'A sign-in must be completed within ten minutes, and in the browser in which it began. This one is finished already, took too long, or began in another browser, or this browser has deleted or blocked its cookie.',
      saved: 'Nothing was connected this time. A connection that was made before stays.',
      next: 'Go back to {app}, connect again, and stay in the same browser until the end. If cookies are blocked, allow them for this site.',
    },
    callback_failed: {
      title: 'We could not finish the connection',
      happened: 'A part of our service failed while it completed the connection with {system}.',
      saved: 'It is not certain whether the health system was connected.',
      next: 'Please try again. If that does not help, go back to {app}. It shows whether the health system is connected.',
    },
  },
  link: {
    title: 'Is this your account?',
    purpose: 'The app {app} wants to read your health records from {system}.',
    account: 'The records will go to the account {account} in {app}.',
    /** In place of `account`, where the client has given it no name. */
    unnamedAccount: 'The records will go to the account in {app} from which you came here.',
    warning:
      'Did somebody send you a link to this page? Then it is not your account: that person would receive your records. Answer no.',
    signIn: 'You sign in at {system} next. We never see your password.',
    yes: 'Yes, continue',
    no: 'No, stop here',
  },
  /** Stand for names that are not known. */
  app: 'the app',
  system: 'the health system',
  nothingSaved: 'Nothing was connected, and nothing was saved.',
  tryAgain: 'Try again',
  backToApp: 'Back to {app}',
  details: {
    summary: 'Details for support',
    app: 'App',
    system: 'Health system',
    code: 'Error code',
    status: 'Status',
    request: 'Request',
  },
};

/** All texts of the pages in one language. */
export type PageTexts = Omit<typeof english, 'errors'> & { errors: Record<PageError, ErrorText> };

/** The errors that a browser can meet. */
export type PageError = keyof typeof english.errors;
