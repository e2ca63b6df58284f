export interface Targets {
  userManagement: string;
  fhirStore: string;
}

/**
 * Where a request to {base_url} goes, or undefined when nothing is there. Each service's documentation stands below its own name,
 * and that of user management at the root as well.
 */
export function targetOf(url: string, targets: Targets): { origin: string; url: string } | undefined {
  const documentation = /^\/(user-management|fhir-store)(\/(?:openapi\.json|docs(?:\/[\w.-]*)?))(?=$|\?)/.exec(url);
  if (documentation) {
    const [whole, name, path] = documentation as unknown as [string, string, string];
    return { origin: name === 'fhir-store' ? targets.fhirStore : targets.userManagement, url: path + url.slice(whole.length) };
  }
  if (/^\/(user-management|connect)(?=[/?]|$)|^\/(openapi\.json|docs)(?=[/?]|$)/.test(url)) return { origin: targets.userManagement, url };
  if (isFhirPath(url)) return { origin: targets.fhirStore, url };
  return undefined;
}

/** Whether an address lies below one of the three FHIR bases. */
export function isFhirPath(url: string): boolean {
  return /^\/(dstu2|stu3|r4)(?=[/?]|$)/.test(url);
}
