import { pageRows } from '../components/pages';
import { systems } from './event-words';

/** The filters of the page, as the address has them. */
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

/** The search of the API that has the filters. Times of the filters are local. */
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

function instant(prefix: string, local: string | undefined): string | undefined {
  const time = local === undefined ? NaN : Date.parse(local);
  return Number.isNaN(time) ? undefined : `${prefix}${new Date(time).toISOString()}`;
}
