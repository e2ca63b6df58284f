/** What stands behind {base_url}. */
export interface Targets<Service> {
  userManagement: Service;
  fhirStore: Service;
}

/**
 * Where a request to {base_url} goes, or undefined when nothing is there. Each service's documentation stands below its own name,
 * and that of user management at the root as well.
 */
export function targetOf<Service>(
  url: string,
  targets: Targets<Service>,
): { service: Service; url: string } | undefined {
  const documentation = /^\/(user-management|fhir-store)(\/(?:openapi\.json|docs(?:\/[\w.-]*)?))(?=$|\?)/.exec(url);
  if (documentation) {
    const [whole, name, path] = documentation as unknown as [string, string, string];
    return {
      service: name === 'fhir-store' ? targets.fhirStore : targets.userManagement,
      url: path + url.slice(whole.length),
    };
  }
  if (/^\/(user-management|connect)(?=[/?]|$)|^\/(openapi\.json|docs)(?=[/?]|$)/.test(url))
    return { service: targets.userManagement, url };
  if (/^\/(dstu2|stu3|r4)(?=[/?]|$)/.test(url)) return { service: targets.fhirStore, url };
  return undefined;
}

/** Whether errors at an address are OperationOutcomes: it lies below one of the three FHIR bases, or that of bulk exports. */
export function isFhirPath(url: string): boolean {
  return /^\/(dstu2|stu3|r4|bulk-data)(?=[/?]|$)/.test(url);
}
