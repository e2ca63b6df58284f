const launchScopes = new Set(['openid', 'fhirUser', 'profile', 'offline_access', 'launch/patient', 'launch']);
const resourceScope = /^patient\/(\*|[A-Z][A-Za-z]+)\.(read|\*|c?r?u?d?s?)(\?.+)?$/;

/** The asked scopes that the sandbox can grant; what it does not know is left out of the grant, as the specification has it. */
export function grantableScopes(asked: string): string[] {
  const scopes = asked.split(' ').filter((scope) => launchScopes.has(scope) || readable(scope));
  return [...new Set(scopes)];
}

/** Whether granted scopes let the client read (or search) a type of resource; `all` asks about every type at once. */
export function permits(scopes: string[], type: string, interaction: 'read' | 'search'): boolean {
  return scopes.some((scope) => {
    const match = resourceScope.exec(scope);
    if (!match || (match[1] !== '*' && match[1] !== type)) return false;
    const permission = match[2]!;
    return permission === 'read' || permission === '*' || permission.includes(interaction === 'read' ? 'r' : 's');
  });
}

/** What a scope means, in a patient's words. */
export function describeScope(scope: string): string {
  const named: Record<string, string> = {
    openid: 'Know who you are',
    fhirUser: 'Know who you are',
    profile: 'Know who you are',
    offline_access: 'Keep this access when you are not using the app',
    'launch/patient': 'Know which record is yours',
    launch: 'Know which record is yours',
    'patient/*': 'See everything in your health record',
  };
  const [before] = scope.split('.');
  return named[scope] ?? named[before!] ?? `See your ${words(before!.slice('patient/'.length))}`;
}

function words(type: string): string {
  return `${type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()} entries`;
}

function readable(scope: string): boolean {
  const permission = resourceScope.exec(scope)?.[2];
  return permission !== undefined && (permission === 'read' || permission === '*' || /[rs]/.test(permission));
}
