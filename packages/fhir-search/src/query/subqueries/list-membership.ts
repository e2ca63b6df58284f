import { isJsonObject, type Resource } from '@tributary/fhir-json';
import type { Criterion } from '../../criteria/criterion';
import { normalReference } from '../../values/references';
import type { ListMembership } from '../search-query';
import { resourcesCriterion } from './resources-criterion';

/**
 * The resources that a List refers to, except for entries that are marked as deleted:
 * https://hl7.org/fhir/R4/list.html.
 */
export function listMembers(list: Resource): string[] {
  const entries = list['entry'];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry) => {
    if (!isJsonObject(entry) || entry['deleted'] === true || !isJsonObject(entry['item'])) return [];
    const reference = entry['item']['reference'];
    return typeof reference === 'string' ? (normalReference(reference) ?? []) : [];
  });
}

/**
 * The criterion that replaces `_list`.
 * @param members the {@link listMembers} of the List, or an empty array when the List does not exist
 */
export function listCriterion({ release, types, parameter }: ListMembership, members: readonly string[]): Criterion {
  return resourcesCriterion(release, types, members, parameter);
}
