import {
  type FhirVersion,
  type ResourceScope,
  coreTypes,
  parseResourceScope,
  releasesNewestFirst,
  requestedTypes,
} from '@tributary/contracts';

/**
 * How the access to resources is requested, in the order of the steps. `announced` is what the health system announces,
 * word for word; the other syntax is SMART 1 (`.read`) where SMART 2 (`.rs`) is announced, and the reverse. The last
 * step requests no refresh token.
 */
export const scopeFallbacks = [
  'wildcard',
  'types',
  'announced',
  'wildcard_other_syntax',
  'types_other_syntax',
  'core_types',
  'without_offline_access',
] as const;
export type ScopeFallback = (typeof scopeFallbacks)[number] | 'registered';

export interface ScopeChoice {
  releases: readonly FhirVersion[];
  /** The resource types that the client asks for; no other is requested. Null or absent: all. */
  types?: readonly string[] | null | undefined;
  /** No scope for a refresh token is requested. */
  isAccessOnce?: boolean | undefined;
  /** `scopes_supported` of the SMART configuration; most DSTU2 and many other systems have none. */
  supported?: readonly string[] | undefined;
  /** `capabilities` of the SMART configuration. */
  capabilities?: readonly string[] | undefined;
  /** The scopes that our registration prescribes; they replace all others. */
  registered?: string | undefined;
  /** The step that another user of this health system succeeded with after a refusal. */
  accepted?: ScopeFallback | undefined;
}

/**
 * The `scope` parameters to request one after the other, until the health system refuses none of them: sign-in, the
 * patient, a refresh token, and read access to all resource types. At most seven.
 *
 * 1. The wildcard, in the announced syntax; left out where only single types are announced.
 * 2. The same with only those launch scopes that `scopes_supported` contains, if `capabilities` imply others.
 * 3. Each announced type, with granular scopes as announced; or each clinical type where none is announced.
 * 4. What is announced, word for word, where that is more than read access.
 * 5. Where nothing is announced, the wildcard in the other syntax, each type in the other syntax, and then the types
 *    that most health systems offer.
 * 6. As at first, without a refresh token.
 *
 * Where the client asks for single types, the steps with a wildcard are left out, and the others name these types only,
 * whatever is announced or registered.
 * @see https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function scopesToRequest(choice: ScopeChoice): { step: ScopeFallback; scope: string }[] {
  const { types: asked, isAccessOnce = false } = choice;
  if (choice.registered) {
    const scope = asked ? narrowedTo(asked, choice.registered) : choice.registered;
    return [{ step: 'registered', scope: isAccessOnce ? withoutRefresh(scope.split(/\s+/)).join(' ') : scope }];
  }
  const announced = announcedScopes(choice.supported);
  const wildcards = announced.filter(({ type, parameters }) => type === '*' && !parameters);
  const isEachTypeAnnounced = announced.length > 0 && wildcards.length === 0;
  const syntax = syntaxOf(wildcards.length > 0 ? wildcards : announced, choice.capabilities);
  const otherSyntax = syntax === 'v1' ? 'v2' : 'v1';
  const types = asked
    ? typesToAskFor(asked, announced, isEachTypeAnnounced, choice.releases)
    : typesOf(announced, choice.releases);

  const wildcard = isEachTypeAnnounced || asked ? [] : wildcardScopes(wildcards, syntax);
  const eachType = asked
    ? types.flatMap((type) => announcedTypeScopes(ofType(announced, type), syntax) ?? readScope(type, syntax))
    : (announcedTypeScopes(announced, syntax) ?? types.map((type) => readScope(type, syntax)));
  const core = [...new Set(choice.releases.flatMap(coreTypes))].filter((type) => !asked || types.includes(type)).sort();
  const wordForWord = asked ? types.flatMap((type) => ofType(announced, type)) : announced;
  const resources: Record<(typeof scopeFallbacks)[number], string[]> = {
    wildcard,
    types: eachType,
    announced: wordForWord.some((scope) => readOnly(scope) !== scope.value)
      ? wordForWord.map(({ value }) => value)
      : [],
    wildcard_other_syntax: announced.length > 0 || asked ? [] : [readScope('*', otherSyntax)],
    types_other_syntax: types.map((type) => readScope(type, otherSyntax)),
    core_types: announced.length > 0 ? [] : core.map((type) => readScope(type, syntax)),
    without_offline_access: wildcard.length > 0 ? wildcard : eachType,
  };
  const { accepted } = choice;
  const ordered =
    accepted && accepted !== 'registered'
      ? [accepted, ...scopeFallbacks.filter((step) => step !== accepted)]
      : scopeFallbacks;
  const permitted = isAccessOnce ? withoutRefresh : (scopes: string[]): string[] => scopes;
  const strict = permitted(announcedLaunchScopes(choice.supported));
  const implied = permitted(impliedLaunchScopes(choice));
  const withoutOfflineAccess = strict.filter((scope) => scope !== 'offline_access');
  const distinct = new Map<string, ScopeFallback>();
  for (const step of ordered) {
    if (resources[step].length === 0) continue;
    // After a refusal, only launch scopes that are announced by name are requested.
    const later = step === 'without_offline_access' ? withoutOfflineAccess : strict;
    for (const launch of distinct.size === 0 && !accepted ? [implied, strict] : [later]) {
      const scope = [...launch, ...resources[step]].join(' ');
      if (!distinct.has(scope)) distinct.set(scope, step);
    }
  }
  return [...distinct].map(([scope, step]) => ({ step, scope }));
}

/** The announced scopes of patients that grant read access. */
function announcedScopes(supported: readonly string[] = []): ResourceScope[] {
  return [...new Set(supported)]
    .flatMap((value) => parseResourceScope(value) ?? [])
    .filter(({ context, read, search }) => context === 'patient' && (read || search));
}

function syntaxOf(scopes: readonly ResourceScope[], capabilities: readonly string[] = []): 'v1' | 'v2' {
  if (scopes.length > 0) return scopes.some(({ syntax }) => syntax === 'v1') ? 'v1' : 'v2';
  return capabilities.includes('permission-v2') && !capabilities.includes('permission-v1') ? 'v2' : 'v1';
}

function readScope(type: string, syntax: 'v1' | 'v2'): string {
  return `patient/${type}.${syntax === 'v1' ? 'read' : 'rs'}`;
}

/** An announced scope, limited to read and search. */
function readOnly({ value, syntax, read, search }: ResourceScope): string {
  const interactions = syntax === 'v1' ? 'read' : `${read ? 'r' : ''}${search ? 's' : ''}`;
  return value.replace(/\.[a-z*]+/, `.${interactions}`);
}

function wildcardScopes(announced: readonly ResourceScope[], syntax: 'v1' | 'v2'): string[] {
  const chosen = announced.filter((scope) => scope.syntax === syntax);
  return chosen.length === 0 ? [readScope('*', syntax)] : sufficient(chosen);
}

/** Undefined when no type is announced. A type that is announced in both syntaxes is requested in one. */
function announcedTypeScopes(announced: readonly ResourceScope[], syntax: 'v1' | 'v2'): string[] | undefined {
  const ofTypes = announced.filter(({ type }) => type !== '*');
  if (ofTypes.length === 0) return undefined;
  return [...new Set(ofTypes.map(({ type }) => type))].flatMap((name) => {
    const scopes = ofTypes.filter(({ type }) => type === name);
    const preferred = scopes.filter((scope) => scope.syntax === syntax);
    return sufficient(preferred.length > 0 ? preferred : scopes);
  });
}

/** Of the scopes of one type: one that grants all access if there is one, and the granular ones as announced. */
function sufficient(scopes: readonly ResourceScope[]): string[] {
  const plain = scopes.filter(({ parameters }) => !parameters);
  const whole = plain.find(({ read, search }) => read && search);
  return [...new Set([...(whole ? [whole] : plain), ...scopes.filter(({ parameters }) => parameters)].map(readOnly))];
}

/**
 * The types that the client asks for, without those that only other releases have, and, where single types are
 * announced, those that are announced; all of them where none is.
 */
function typesToAskFor(
  asked: readonly string[],
  announced: readonly ResourceScope[],
  isEachTypeAnnounced: boolean,
  releases: readonly FhirVersion[],
): string[] {
  const ofReleases = new Set(releases.flatMap(requestedTypes));
  const elsewhere = new Set(releasesNewestFirst.flatMap(requestedTypes).filter((type) => !ofReleases.has(type)));
  const types = [...new Set(asked)].filter((type) => !elsewhere.has(type)).sort();
  const offered = types.filter((type) => ofType(announced, type).length > 0);
  return isEachTypeAnnounced && offered.length > 0 ? offered : types;
}

function ofType(scopes: readonly ResourceScope[], type: string): ResourceScope[] {
  return scopes.filter((scope) => scope.type === type);
}

/** Scopes for these types in place of wildcards, and without scopes for other types. */
function narrowedTo(types: readonly string[], scope: string): string {
  const values = scope.split(/\s+/).flatMap((value) => {
    const resources = parseResourceScope(value);
    if (!resources) return value;
    if (resources.type === '*') return types.map((type) => value.replace('/*.', `/${type}.`));
    return types.includes(resources.type) ? value : [];
  });
  return [...new Set(values)].join(' ');
}

function withoutRefresh(scopes: string[]): string[] {
  return scopes.filter((scope) => scope !== 'offline_access' && scope !== 'online_access');
}

function typesOf(announced: readonly ResourceScope[], releases: readonly FhirVersion[]): string[] {
  const named = announced.flatMap(({ type }) => (type === '*' ? [] : [type]));
  return [...new Set(named.length > 0 ? named : releases.flatMap(requestedTypes))].sort();
}

const launchScopes = ['launch/patient', 'openid', 'fhirUser', 'offline_access'];
/** What is requested where a launch scope is not announced, if it is announced itself. */
const substitutes = new Map(Object.entries({ fhirUser: 'profile', offline_access: 'online_access' }));

/** The launch scopes that `scopes_supported` contains; all where the list is missing or contains none. */
function announcedLaunchScopes(supported: readonly string[] = []): string[] {
  const announced = launchScopes.flatMap(
    (scope) => [scope, substitutes.get(scope)].find((name) => name !== undefined && supported.includes(name)) ?? [],
  );
  return announced.length > 0 ? announced : launchScopes;
}

const impliedByCapability = new Map(
  Object.entries({
    'context-standalone-patient': 'launch/patient',
    'sso-openid-connect': 'openid',
    'permission-offline': 'offline_access',
  }),
);

/**
 * The announced launch scopes, those that `capabilities` imply, and `launch/patient`, without which many health systems
 * name no patient: `scopes_supported` may be incomplete.
 * @see https://hl7.org/fhir/smart-app-launch/conformance.html#capabilities
 */
function impliedLaunchScopes({ supported, capabilities = [] }: ScopeChoice): string[] {
  const announced = announcedLaunchScopes(supported);
  const implied = capabilities.flatMap((capability) => impliedByCapability.get(capability) ?? []);
  return launchScopes.flatMap((scope) => {
    if (scope === 'launch/patient' || announced.includes(scope) || implied.includes(scope)) return scope;
    const substitute = substitutes.get(scope);
    return substitute !== undefined && announced.includes(substitute) ? substitute : [];
  });
}
