// Looks up elements of a release by path, through data types and content references.
import { structureDefinitions } from './release-sources.mjs';

const typeCode = (type) =>
  type.code ? type.code.replace('http://hl7.org/fhirpath/System.', '').replace(/^String$/, 'string') : 'string';
const profileNames = (type) =>
  [type.targetProfile ?? (typeCode(type) === 'Reference' ? type.profile : undefined)]
    .flat()
    .filter(Boolean)
    .map((url) => url.split('/').pop());

/** The resource types of one release, and the children of each element. */
export class ElementTree {
  #elements = new Map();
  resourceTypes = [];
  abstractTypes = [];

  constructor(release) {
    this.release = release;
    for (const definition of structureDefinitions(release)) {
      const name = definition.snapshot.element[0].path;
      if (definition.kind === 'resource') {
        (definition.abstract && /^(Domain)?Resource$/.test(name) ? this.abstractTypes : this.resourceTypes).push(name);
      }
      const byName = new Map();
      for (const element of definition.snapshot.element) {
        if (element.name) byName.set(element.name, element.path);
        const reference = element.contentReference?.replace(/^.*#/, '') ?? byName.get(element.nameReference);
        this.#elements.set(element.path, {
          path: element.path,
          repeats: element.max !== '0' && element.max !== '1',
          sameAs: reference,
          valueSet: (
            element.binding?.valueSet ??
            element.binding?.valueSetReference?.reference ??
            element.binding?.valueSetUri
          )?.split('|')[0],
          types: this.#types(element.type ?? []),
        });
      }
    }
    this.resourceTypes = [...new Set(this.resourceTypes)].sort();
  }

  /** Merges the types of DSTU2 and STU3 (one for each target) into one for each code. */
  #types(types) {
    const merged = new Map();
    for (const type of types) {
      const code = typeCode(type);
      const targets = merged.get(code) ?? [];
      targets.push(...profileNames(type));
      merged.set(code, targets);
    }
    return [...merged].map(([code, targets]) => ({ code, targets: [...new Set(targets)] }));
  }

  /**
   * The child `name` of the element at `path` with type `type`. The answer names the JSON properties (one per type of a
   * choice). In dstu2 some search parameters name the property itself (`effectiveDateTime`).
   */
  child(parent, name) {
    const owner = this.#ownerPath(parent);
    const plain = this.#elements.get(`${owner}.${name}`);
    if (plain) return { element: plain, choice: false, types: plain.types };
    const choice = this.#elements.get(`${owner}.${name}[x]`);
    if (choice) return { element: choice, choice: true, types: this.#expand(choice.types) };
    for (const [path, element] of this.#elements) {
      if (!path.endsWith('[x]') || path.slice(0, path.lastIndexOf('.')) !== owner) continue;
      const stem = path.slice(owner.length + 1, -3);
      if (!name.startsWith(stem)) continue;
      const type = this.#expand(element.types).find((each) => stem + capital(each.code) === name);
      if (type) return { element, choice: true, stem, types: [type] };
    }
    return undefined;
  }

  #expand(types) {
    if (!types.some((type) => type.code === '*')) return types;
    return ['boolean', 'code', 'dateTime', 'string', 'Coding', 'CodeableConcept', 'Quantity', 'Reference'].map(
      (code) => ({ code, targets: [] }),
    );
  }

  #ownerPath({ element, type }) {
    if (element.sameAs) return this.#ownerPath({ element: this.#elements.get(element.sameAs), type: undefined });
    if (!type || type === 'BackboneElement' || type === 'Element') return element.path;
    return type;
  }

  root(type) {
    return { element: { path: type }, type: undefined };
  }
}

export const capital = (word) => word[0].toUpperCase() + word.slice(1);
