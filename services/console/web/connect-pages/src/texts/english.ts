import type { RedirectError } from '@tributary/contracts';
import type { PageError, PlaceStatus } from '../../../../src/connect-pages/screens/screens';
import type { Kind } from './kinds';

/** What happened, and what to do next. */
interface Explained {
  title: string;
  happened: string;
  next: string;
}

/** `{app}`, `{system}` and other placeholders are replaced. */
export const english = {
  app: 'the app',
  notNow: 'Not now',
  theme: { light: 'Light colors', dark: 'Dark colors' },
  search: {
    title: '{app} wants to read your health records',
    label: 'Where do you get care?',
    hint: 'Name of a hospital or doctor, city, or ZIP code',
    submit: 'Search',
    found: { none: 'Nothing was found', one: '1 place', other: '{count} places' },
    unsupported: 'Not possible yet',
    more: 'More places',
    before: 'Previous places',
    failed: 'The search does not work at the moment. Please try again.',
    near: {
      begin: 'Places near me',
      asking: 'Asking where you are …',
      end: 'Stop using my location',
      explained: 'Nearer places come first. Your location is not saved.',
      failed: 'We could not find out where you are. You can search by city or ZIP code instead.',
      distance: 'About {distance} away',
    },
    cannotFind: 'Can’t find it?',
    tips: [
      'Try the name on your bill or on the patient website, such as the name of a group of hospitals.',
      'Try the city or the ZIP code alone.',
      'Places that say “Not possible yet” cannot share records with us so far.',
    ],
    toPlaces: 'Your records so far',
  },
  review: {
    title: 'Share your records with {app}?',
    receives: '{app} will receive from {system}:',
    duration: {
      unlimited: '{app} receives new records until you stop it. You can stop at any time.',
      once: '{app} receives your records once, now.',
      days: '{app} receives new records for {time}. You can stop at any time.',
    },
    account: 'The records go to the account in {app} from which you came here.',
    namedAccount: 'The records go to the account {account} in {app}.',
    warning:
      'Did somebody send you a link to this page? Then it is not your account, and that person would receive your records. Choose “Not now”.',
    signIn: 'You sign in at {system} next. We never see your password.',
    proceed: 'Continue to {system}',
    again: 'Try again',
    opened: 'We have opened {system} in another window. Sign in there. This page goes on by itself.',
    goOn: 'I have signed in',
    anotherPerson: 'Yes, add this record',
    back: 'Choose another place',
  },
  failures: {
    access_denied: {
      title: 'Nothing was shared',
      happened: 'You did not allow access at {system}, or you left the sign-in.',
      next: 'You can try again, or choose another place.',
    },
    no_patient: {
      title: 'There is no record for this sign-in',
      happened: '{system} has no patient record for the account that you used.',
      next: 'Try again with your own patient account.',
    },
    other_person: {
      title: 'Is this another person?',
      happened: 'The record at {system} has another name or birth date than your record here. Nothing was saved.',
      next: 'Does it belong here, for example because your name has changed or you care for this person?',
    },
    invalid_scope: {
      title: '{system} did not accept our request',
      happened: 'This place refuses every kind of record that we ask for.',
      next: 'Please tell the makers of {app}. Trying again will not help today.',
    },
    not_registered: {
      title: '{system} does not know us yet',
      happened: 'This place does not accept our service at the moment.',
      next: 'Please choose another place, or come back in a few days.',
    },
    system_unavailable: {
      title: '{system} does not respond',
      happened: 'The computer of this place is down or very slow. This is not your fault.',
      next: 'Please try again in a few minutes.',
    },
    expired: {
      title: 'It took too long',
      happened: 'A sign-in has to be finished within ten minutes.',
      next: 'Please try again.',
    },
    server_error: {
      title: 'Something went wrong on our side',
      happened: 'We could not finish the connection with {system}. Nothing was saved.',
      next: 'Please try again in a few minutes.',
    },
    user_inactive: {
      title: 'Your account is closed',
      happened: 'Your account in {app} is not active any more.',
      next: 'Go back to {app}.',
    },
  } satisfies Record<RedirectError, Explained>,
  window: { title: 'You are connected', next: 'You can close this window, and go on in {app}.' },
  places: {
    title: 'Your records',
    of: 'Record of {name}',
    born: ', born {date}',
    otherPerson: 'This is a different person from the one in your other records.',
    status: {
      collecting: 'Being collected',
      up_to_date: 'Up to date',
      partly: 'Partly collected',
      sign_in_again: 'Sign in again',
      failed: 'Did not work',
      disconnected: 'Disconnected',
    } satisfies Record<PlaceStatus, string>,
    collected: { none: 'No records yet', one: '1 record', other: '{count} records' },
    starting: 'We are asking what there is …',
    soFar: '{done} of {total} kinds are done',
    waiting: '{system} does not respond at the moment. We go on at {time}.',
    last: 'Last collected {time}',
    ends: 'Access ends {time}',
    renewBecause: {
      sign_in_again: '{system} asks you to sign in again before we can collect anything new.',
      failed: 'We could not collect your records from {system}. Please sign in again to start anew.',
    },
    missing: 'What is missing',
    reasons: {
      refused: '{kind}: not shared by {system}',
      failed: '{kind}: could not be read. We try again next time.',
      partial: '{kind}: perhaps not all of it',
    },
    arrived: {
      title: 'What has arrived',
      means: 'What {app} has received so far, and from which years.',
      years: '{from} to {to}',
      noDate: 'No date',
      year: 'Year',
      count: 'Records',
    },
    renew: 'Sign in again',
    connectAgain: 'Connect again',
    disconnect: 'Disconnect',
    disconnectTitle: 'Disconnect {system}?',
    disconnectMeans:
      '{app} keeps what it has, and receives nothing new from {system}. To connect again you have to sign in there.',
    disconnectNow: 'Disconnect {system}',
    add: 'Add another place',
    done: 'Done',
    canClose: 'You can close this page. We go on collecting.',
    refresh: 'Show the latest state',
    empty: 'No place is connected yet.',
    stale: 'We cannot see the latest state at the moment. The collection goes on.',
  },
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
    unknown_app: {
      title: 'This app is not known here',
      happened: 'The app that sent you here is not registered with this service.',
      next: 'Please tell the makers of the app. Only they can correct it.',
    },
    sign_in_ended: {
      title: 'Your sign-in has ended',
      happened: 'Your sign-in at {app} is no longer valid.',
      next: 'Go back to {app}, sign in again, and then open this page again.',
    },
    read_only: {
      title: '{app} may only look',
      happened: 'The app that sent you here is allowed to read records, but not to connect new ones.',
      next: 'Go back to {app}. If you wanted to connect a place, tell the makers of {app}.',
    },
    page_ended: {
      title: 'This page has ended',
      happened: 'A page works for up to two hours, and only in the browser in which it was opened.',
      next: 'Go back to {app}, and open it from there again. What you connected stays connected.',
    },
    unknown_system: {
      title: 'This place was not found',
      happened: 'The place is not in our list any more, or cannot share records.',
      next: 'Please choose another one.',
    },
    unknown_connection: {
      title: 'This connection was not found',
      happened: 'It does not exist any more, or belongs to another account.',
      next: 'Please connect the place anew.',
    },
    foreign_form: {
      title: 'The answer did not come from our page',
      happened: 'Another page has answered for you. We have not accepted that answer.',
      next: 'Open {app} yourself, and go on from there.',
    },
    too_many_requests: {
      title: 'Too many attempts',
      happened: 'There were too many attempts in a short time.',
      next: 'Please wait a few minutes, and then try again.',
    },
    unavailable: {
      title: 'This does not work at the moment',
      happened: 'A part of our service is not available. Nothing is lost.',
      next: 'Please try again in a few minutes.',
    },
    internal_error: {
      title: 'Something went wrong on our side',
      happened: 'An unexpected error of our service has stopped the page.',
      next: 'Please try again in a few minutes. If it happens again, tell the makers of {app}, with the details below.',
    },
  } satisfies Record<PageError, Explained>,
  tryAgain: 'Try again',
  backToApp: 'Back to {app}',
  details: { summary: 'Details for support', code: 'Code', status: 'Status', request: 'Request' },
  kinds: {
    problems: 'Health problems',
    allergies: 'Allergies',
    medicines: 'Prescriptions and medicines',
    results: 'Lab results and vital signs',
    reports: 'Test reports and images',
    vaccinations: 'Vaccinations',
    procedures: 'Procedures',
    visits: 'Visits',
    documents: 'Notes and documents',
    plans: 'Care plans and orders',
    family: 'Family history',
    insurance: 'Insurance',
    person: 'Name, address and contact',
    doctors: 'Doctors and clinics',
    other: 'Other records',
  } satisfies Record<Kind, string>,
};

/** All texts in one language. */
export type Texts = typeof english;
