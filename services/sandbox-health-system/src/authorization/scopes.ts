const launchScopes = new Set([
  'openid',
  'fhirUser',
  'profile',
  'offline_access',
  'online_access',
  'launch/patient',
  'launch',
]);
const resourceScope = /^(?:patient|user)\/(\*|[A-Z][A-Za-z]+)\.(read|\*|c?r?u?d?s?)(\?.+)?$/;

/** The requested scopes that the sandbox supports; unknown ones are not granted (RFC 6749, section 3.3). */
export function grantableScopes(asked: string): string[] {
  const scopes = asked.split(' ').filter((scope) => launchScopes.has(scope) || readable(scope));
  return [...new Set(scopes)];
}

/** Whether the scopes allow to read (or search) a resource type; `all` means every type. */
export function permits(scopes: string[], type: string, interaction: 'read' | 'search'): boolean {
  return scopes.some((scope) => {
    const match = resourceScope.exec(scope);
    if (!match || (match[1] !== '*' && match[1] !== type)) return false;
    const permission = match[2]!;
    return permission === 'read' || permission === '*' || permission.includes(interaction === 'read' ? 'r' : 's');
  });
}

/** The description of a scope on the consent page; none of those that concern the time of access only. */
export function describeScope(scope: string): string | undefined {
  if (scope === 'offline_access' || scope === 'online_access') return undefined;
  const named = new Map(
    Object.entries({
      openid: 'Know who you are',
      fhirUser: 'Know who you are',
      profile: 'Know who you are',
      'launch/patient': 'Know which record is yours',
      launch: 'Know which record is yours',
      'patient/*': 'See everything in your health record',
    }),
  );
  const [before] = scope.split('.');
  return named.get(scope) ?? named.get(before!) ?? `See your ${words(before!.slice(before!.indexOf('/') + 1))}`;
}

function words(type: string): string {
  return `${type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()} entries`;
}

/** Scopes of the user are granted by scenarios only. */
function readable(scope: string): boolean {
  if (!scope.startsWith('patient/')) return false;
  const permission = resourceScope.exec(scope)?.[2];
  return permission !== undefined && (permission === 'read' || permission === '*' || /[rs]/.test(permission));
}
