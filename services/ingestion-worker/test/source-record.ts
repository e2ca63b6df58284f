import type { FhirVersion } from '@tributary/contracts';
import { type Resource, parseJson, stringifyJson } from '@tributary/fhir-json';
import axios from 'axios';
import { targetsOf } from './fake-fhir-store';
import type { Sandbox } from './sandbox';

interface Bundle {
  link: { relation: string; url: string }[];
  entry?: { resource: Resource }[];
}

/**
 * The JSON of each resource of a person in the sandbox, by `Type/id`: everything that searches return, and everything
 * that it refers to.
 * @param hint a username, for a source with resources of a scenario followed by `+scenario`
 */
export async function sourceRecord(sandbox: Sandbox, hint: string, release: FhirVersion): Promise<Map<string, string>> {
  const { access_token: token, patient } = await sandbox.signIn(hint, release);
  const base = sandbox.fhirBase(release);
  const get = async <T>(url: string): Promise<T> => {
    const headers = {
      Authorization: `Bearer ${token}`,
      Accept: release === 'dstu2' ? 'application/json+fhir' : 'application/fhir+json',
    };
    const { data } = await axios.get<string>(url, {
      headers,
      responseType: 'text',
      transformResponse: (text: string) => text,
    });
    return parseJson(data) as T;
  };
  const record = new Map<string, string>();
  const open: string[] = [];
  const take = (resource: Resource): void => {
    const text = stringifyJson(resource);
    record.set(`${resource.resourceType}/${resource.id}`, text);
    open.push(...targetsOf(text, { release, fhir_base_url: base }));
  };
  take(await get<Resource>(`${base}/Patient/${patient}`));
  const statement = await get<{ rest: { resource: { type: string; interaction: { code: string }[] }[] }[] }>(
    `${base}/metadata`,
  );
  const searchable = (statement.rest[0]?.resource ?? []).filter(
    ({ type, interaction }) => type !== 'Patient' && interaction.some(({ code }) => code === 'search-type'),
  );
  for (const { type } of searchable) {
    for (let next: string | undefined = `${base}/${type}?patient=${patient}&_count=1000`; next;) {
      const bundle: Bundle = await get<Bundle>(next);
      for (const { resource } of bundle.entry ?? []) take(resource);
      next = bundle.link.find(({ relation }) => relation === 'next')?.url;
    }
  }
  for (let target = open.pop(); target !== undefined; target = open.pop())
    if (!record.has(target)) take(await get<Resource>(`${base}/${target}`));
  return record;
}
