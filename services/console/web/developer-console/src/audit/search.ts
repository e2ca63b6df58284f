import { pageRows } from '../components/pages';
import { systems } from './event-words';

/** The filters of the page, as the address has them: times are instants, the same for whoever gets the address. */
export const filterNames = ['from', 'to', 'who', 'user', 'about', 'action', 'outcome', 'kind'] as const;
export type Filters = Partial<Record<(typeof filterNames)[number], string>>;

export const searchPath = 'audit/r4/AuditEvent';

const interactions = new Set([
  'read',
  'vread',
  'search',
  'history',
  'operation',
  'create',
  'update',
  'patch',
  'delete',
]);

export function filtersOf(parameters: URLSearchParams): Filters {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = parameters.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** The search of the API that has the filters. */
export function searchOf({ from, to, who, user, about, action, outcome, kind }: Filters): string {
  const query = new URLSearchParams();
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) query.append(name, value);
  };
  add('date', instant('ge', from));
  add('date', instant('lt', to));
  const [role, ...id] = who?.split(':') ?? [];
  if (role === 'developer' || role === 'service') add('agent', `${systems[role]}|${id.join(':')}`);
  add('agent', user && `${systems.user}|${user}`);
  add('patient', about);
  add('action', action);
  add('outcome', outcome);
  add('subtype', kind && (interactions.has(kind) ? `http://hl7.org/fhir/restful-interaction|${kind}` : kind));
  add('_count', String(pageRows));
  return `${searchPath}?${query.toString()}`;
}

function instant(prefix: string, time: string | undefined): string | undefined {
  const found = instantOf(time);
  return found === '' ? undefined : prefix + found;
}

/** @param time in ISO 8601; local without a time zone @returns '' for none */
export function instantOf(time = ''): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

/** A time as an input of the form has it, to the minute. */
export function localOf(time = ''): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? '' : new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
