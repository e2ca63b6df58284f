import type { Release } from '../releases';
import { readRecordFile, type RecordFile } from './record-files';
import { referredToBy } from './references';
import { storedResource, type StoredResource } from './stored-resource';
import { installedResources, resourcesOfBundle } from './transaction-bundle';

/** Synthea writes the hospitals and practitioners of all patients into separate files. */
export function isSharedFile(file: RecordFile): boolean {
  return file.kind === 'bundle' && /^(hospital|practitioner)Information/.test(file.stem);
}

/** The resources of one release that Bundles of patients refer to by `Type?identifier=system|value`. */
export class SharedSet {
  private readonly byReference = new Map<string, StoredResource>();
  private readonly byIdentifier = new Map<string, string>();

  constructor(resources: StoredResource[]) {
    for (const resource of resources) {
      const reference = `${resource.type}/${resource.id}`;
      this.byReference.set(reference, resource);
      const { identifier = [] } = JSON.parse(resource.text) as { identifier?: { system?: string; value?: string }[] };
      for (const { system, value } of identifier)
        this.byIdentifier.set(`${resource.type}?identifier=${system ?? ''}|${value ?? ''}`, reference);
    }
  }

  resolve(link: string): string | undefined {
    return this.byIdentifier.get(link);
  }

  /** The shared resources that these resources refer to, transitively. */
  referredToBy(resources: StoredResource[]): StoredResource[] {
    return [...referredToBy(resources, (reference) => this.byReference.get(reference)).values()];
  }
}

/** Reads the shared files of a release on first use. */
export class SharedResources {
  private readonly sets = new Map<Release, Promise<SharedSet>>();

  constructor(private readonly files: RecordFile[]) {}

  of(release: Release): Promise<SharedSet> {
    const set = this.sets.get(release) ?? this.read(release);
    this.sets.set(release, set);
    return set;
  }

  private async read(release: Release): Promise<SharedSet> {
    const files = this.files.filter((file) => file.release === release);
    const read = await Promise.all(files.map(async (file) => ({ bundle: await readRecordFile(file) })));
    const resources = read.flatMap(({ bundle }) =>
      installedResources(resourcesOfBundle(bundle.text), () => undefined).flatMap(
        (text) => storedResource(text, bundle.writtenAt) ?? [],
      ),
    );
    return new SharedSet(resources);
  }
}
