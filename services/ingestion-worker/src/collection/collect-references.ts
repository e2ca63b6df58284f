import type { LineOutcome, TypeProgress } from '@tributary/contracts';
import { stringifyJson } from '@tributary/fhir-json';
import { type HealthSystemClient, HealthSystemUnreachable } from '../health-system/health-system-client';
import { emptyProgress, warn } from './progress';
import { NotABundle, readResource } from './searchset';

export interface ReferenceCollection {
  fhirBaseUrl: string;
  client: HealthSystemClient;
  /** Types that may be read; undefined when all may. */
  granted: ReadonlySet<string> | undefined;
  /** References whose targets are not stored, as Type/id of the source, page by page. */
  awaited(after: string | undefined): Promise<{ references: string[]; next?: string | undefined }>;
  store(lines: string[]): Promise<LineOutcome[]>;
  progressOf(type: string): TypeProgress;
  changed(): Promise<void>;
}

const atOnce = 4;

/**
 * Fetches what the collected resources refer to and no search brought: practitioners, organizations, locations, medications. What these refer to comes in
 * the next round, until a round brings nothing new. A target that cannot be had is a warning: the reference keeps its source form.
 */
export async function collectReferences(collection: ReferenceCollection): Promise<void> {
  const tried = new Set<string>();
  for (;;) {
    const untried = await listUntried(collection, tried);
    if (untried.length === 0) return;
    for (const reference of untried) tried.add(reference);
    const queue = [...untried];
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let reference = queue.shift(); reference !== undefined; reference = queue.shift()) await collectReference(collection, reference);
      }),
    );
  }
}

async function listUntried({ awaited, granted }: ReferenceCollection, tried: ReadonlySet<string>): Promise<string[]> {
  const untried: string[] = [];
  let after: string | undefined;
  do {
    const { references, next } = await awaited(after);
    untried.push(...references.filter((reference) => !tried.has(reference) && (!granted || granted.has(reference.split('/')[0] ?? ''))));
    after = next;
  } while (after !== undefined);
  return untried;
}

async function collectReference(collection: ReferenceCollection, reference: string): Promise<void> {
  const [type = ''] = reference.split('/');
  const progress = collection.progressOf(type);
  try {
    const { status, body } = await collection.client.get(new URL(reference, `${collection.fhirBaseUrl.replace(/\/+$/, '')}/`).href);
    if (status >= 400) return warn(progress, `a ${type} that is referred to was refused with ${status}`);
    const resource = readResource(body);
    if (resource.resourceType !== type) return warn(progress, `a reference to a ${type} led elsewhere`);
    const [outcome] = await collection.store([stringifyJson(resource)]);
    progress.fetched++;
    if (outcome) progress[outcome.outcome]++;
    await collection.changed();
  } catch (error) {
    if (error instanceof HealthSystemUnreachable) warn(progress, `a ${type} that is referred to could not be fetched: the health system ${error.message}`);
    else if (error instanceof NotABundle) warn(progress, `a ${type} that is referred to could not be read`);
    else throw error;
  }
}

/** The progress of a type that no search collects, made at its first reference. */
export function referencedProgress(types: Map<string, TypeProgress>, type: string): TypeProgress {
  const known = types.get(type);
  if (known) return known;
  const made = { ...emptyProgress(type), done: true };
  types.set(type, made);
  return made;
}
