import type { RedirectError } from '@tributary/contracts';

/** What the pages show, as the server sends it and as the web application renders it. */

export type Language = 'en' | 'es';
export type Theme = 'light' | 'dark';

/** A page: what all screens have in common, and one of them. */
export interface PageData {
  language: Language;
  /** Chosen by the user; absent: as the device is set. */
  theme?: Theme;
  /** The application that asks; absent when it is not known. */
  appName?: string;
  /** A data: URL. In documents only: scripts of the page have it already. */
  appLogo?: string;
  /** The origins of the application, whose windows learn what happens on the page. */
  messageOrigins: string[];
  /** Where the user leaves the page to. A frame has no cookie outside of itself, so this is the application itself. */
  leaveUrl?: string;
  screen: Screen;
}

export type Screen = SearchScreen | ReviewScreen | PlacesScreen | WindowScreen | ErrorScreen;

/** The choice of a health system. */
export interface SearchScreen {
  name: 'search';
  /** The path of the page, under which its screens are. */
  path: string;
  query: string;
  offset: number;
  total: number;
  limit: number;
  systems: FoundSystem[];
  /** Whether the user has connected a place before. */
  hasPlaces: boolean;
}

export interface FoundSystem {
  id: number;
  name: string;
  address: string;
  isConnectable: boolean;
  /** A data: URL. */
  logo?: string;
  /** From where the user is, when the browser has said it. */
  distanceKm?: number;
}

/** What the user is about to agree to. */
export interface ReviewScreen {
  name: 'review';
  path: string;
  system: { id: number; name: string; address: string };
  /** The resource types that the application asks for; absent: all. */
  types?: string[];
  /** For how many days; 0: once; absent: until the user ends it. */
  consentDays?: number;
  /** How the application calls the account of the user, if it has said so. */
  accountName?: string;
  /** The connection that is renewed. */
  connectionId?: string;
  /** Why the last attempt has failed. */
  error?: RedirectError;
  /** In a frame: what opens the health system in a window, and the number of connections that were made before. */
  window?: { ticket: string; made: number };
}

/** The places that the user has connected. */
export interface PlacesScreen {
  name: 'places';
  path: string;
  places: Place[];
  /** What the record has, by resource type and year of care; empty where it is not known. */
  arrived: ArrivedCount[];
  /** The connections that were made on the page. */
  made: { connectionId: string; healthSystemId: number }[];
}

/** The number of resources of a type in a year of care, or without a date. A type can be in several releases. */
export interface ArrivedCount {
  type: string;
  year?: number;
  count: number;
}

/** For a page in a frame, which waits for the window beside it: the number of connections that were made. */
export interface MadeCount {
  made: number;
}

/** The end of a window that was opened by a page in a frame. */
export interface WindowScreen {
  name: 'window';
}

export type PlaceStatus = 'collecting' | 'up_to_date' | 'partly' | 'sign_in_again' | 'failed' | 'disconnected';

/** The record of one patient at one health system, which may publish it in several FHIR releases. */
export interface Place {
  system: { id: number; name: string };
  person: { name?: string; birthDate?: string };
  isOtherPerson: boolean;
  status: PlaceStatus;
  /** The connections of the place, newest release first. */
  connectionIds: string[];
  /** Resource types whose collection has ended, and all of them; 0 before they are known. */
  typesDone: number;
  typesTotal: number;
  /** Resources that were collected. */
  collected: number;
  /** Of a collection that reads everything: what was read of each type that has anything, most first. */
  types: { type: string; count: number; isDone: boolean }[];
  /** Types that are missing or incomplete. */
  missing: { type: string; reason: 'refused' | 'failed' | 'partial' }[];
  lastCollectedAt?: string;
  /** While the health system is not available: when the collection goes on. */
  retryAt?: string;
  consentEndsAt?: string;
}

/** A request that failed. */
export interface ErrorScreen {
  name: 'error';
  error: PageError;
  /** The path of the page, where another place can help. */
  path?: string;
  /** Where the application is reached again. */
  backUrl?: string;
  /** For the support. */
  code: string;
  status: number;
  requestId: string;
}

/** The errors that a browser can meet. */
export type PageError =
  | 'broken_link'
  | 'unknown_address'
  | 'unknown_app'
  | 'sign_in_ended'
  | 'read_only'
  | 'page_ended'
  | 'unknown_system'
  | 'unknown_connection'
  | 'foreign_form'
  | 'too_many_requests'
  | 'unavailable'
  | 'internal_error';
