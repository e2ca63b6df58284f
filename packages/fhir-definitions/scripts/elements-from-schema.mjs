// The element model of DSTU2: structure and codes from its XML schema, reference targets and binding strengths from its
// profiles.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { elementText, lastPart } from './elements-notation.mjs';

const fhirPackage = dirname(createRequire(import.meta.url).resolve('fhir/package.json'));
const capitalized = (name) => name[0].toUpperCase() + name.slice(1);

/**
 * Targets of references that neither the schema nor a profile of the package has: in data types and in two resources
 * without a profile.
 */
const contractActors = [
  'Contract',
  'Device',
  'Group',
  'Location',
  'Organization',
  'Patient',
  'Practitioner',
  'RelatedPerson',
  'Substance',
];
const handTargets = {
  'Annotation.author[x]': ['Practitioner', 'Patient', 'RelatedPerson'],
  'Identifier.assigner': ['Organization'],
  'Signature.who[x]': ['Practitioner', 'RelatedPerson', 'Patient', 'Device', 'Organization'],
  'Account.subject': ['Patient', 'Device', 'Practitioner', 'Location', 'HealthcareService', 'Organization'],
  'Account.owner': ['Organization'],
  'Contract.authority': ['Organization'],
  'Contract.domain': ['Location'],
  'Contract.actor.entity': contractActors,
  'Contract.signer.party': ['Organization', 'Patient', 'Practitioner', 'RelatedPerson'],
  'Contract.term.actor.entity': contractActors,
};

/** Required value sets whose codes are in the schema, while their elements have the plain type code. */
const listsOfValueSets = {
  'administrative-gender': 'AdministrativeGender',
  'binding-strength': 'BindingStrength',
  'concept-map-equivalence': 'ConceptMapEquivalence',
  'conformance-resource-status': 'ConformanceResourceStatus',
  'document-reference-status': 'DocumentReferenceStatus',
  'list-mode': 'ListMode',
  'medication-admin-status': 'MedicationAdministrationStatus',
  'remittance-outcome': 'RemittanceOutcome',
  'search-param-type': 'SearchParamType',
};

/** The base types of primitive types, which the schema does not have: https://hl7.org/fhir/DSTU2/datatypes.html. */
const primitiveParents = {
  code: 'string',
  id: 'string',
  markdown: 'string',
  oid: 'uri',
  uuid: 'uri',
  positiveInt: 'integer',
  unsignedInt: 'integer',
};

/** Elements whose type in the schema is more specific than their JSON name: `onsetQuantity` of type Age. */
const quantityKinds = ['Age', 'Count', 'Distance', 'Duration', 'Money', 'SimpleQuantity'];

export function modelFromSchema() {
  const schema = readSchema(join(fhirPackage, 'schemas/dstu2/fhir-single.xsd'));
  const { targets, bindings, reused } = readProfiles();
  const model = {
    release: 'dstu2',
    version: '1.0.2',
    types: { Element: { kind: 'complex', abstract: true, elements: { id: '0..1 id', extension: '0..* Extension' } } },
    valueSets: {},
  };
  const abstract = new Set(['BackboneElement', 'Resource', 'DomainResource']);

  for (const [name, type] of schema.complex) {
    if (name.includes('.') || name === 'Element' || name === 'ResourceContainer' || codeList(name)) continue;
    if (schema.primitives.has(`${name}-primitive`)) {
      model.types[name] = {
        kind: 'primitive',
        base: primitiveParents[name] ?? 'Element',
        ...schema.primitives.get(`${name}-primitive`),
      };
    } else {
      addType(name, name, type);
    }
  }
  model.types.xhtml = { kind: 'primitive', base: 'Element' };
  return model;

  function addType(name, schemaName, type) {
    const isResource = name === 'Resource' || type.base === 'Resource' || type.base === 'DomainResource';
    const kind = name.includes('.') ? 'backbone' : isResource ? 'resource' : 'complex';
    const entry = {
      kind,
      ...(type.base && { base: type.base }),
      ...(abstract.has(name) && { abstract: true }),
      elements: {},
    };
    model.types[name] = entry;
    if (type.restriction) {
      for (const { name: own, type: code, max } of type.elements)
        if (max === '0') entry.elements[own] = elementText({ min: 0, max, types: [{ code: plainCode(code) }] });
      return;
    }
    for (const element of type.elements) {
      const { jsonName, types } = element.choice ? choice(element) : { jsonName: element.name, types: [element.type] };
      const path = `${name}.${jsonName}`;
      const binding = types.length === 1 ? requiredCodes(path, types[0]) : undefined;
      entry.elements[jsonName] = elementText({
        min: element.min,
        max: element.max,
        types: types.map((code) => typeOf(path, code)),
        binding,
      });
      if (!element.choice && isOwnComponent(name, schemaName, element))
        addType(path, element.type, schema.complex.get(element.type));
    }
  }

  /** Whether this element defines the component. Other elements refer to the same schema type. */
  function isOwnComponent(name, schemaName, element) {
    return (
      element.type.includes('.') &&
      firstUse(element.type).owner === schemaName &&
      firstUse(element.type).name === element.name
    );
  }

  function typeOf(path, code) {
    if (code === 'ResourceContainer') return { code: 'Resource' };
    if (code.includes('.')) return { code: componentPath(code) };
    if (quantityKinds.includes(code) && (path.endsWith('[x]') || code === 'SimpleQuantity'))
      return { code: 'Quantity', profile: code };
    return {
      code: plainCode(code),
      targets: code === 'Reference' ? (targets.get(path) ?? handTargets[path] ?? ['Resource']) : [],
    };
  }

  function plainCode(code) {
    return codeList(code) ? 'code' : code;
  }

  /** Component types have the path where they are defined as their name, as in later releases. */
  function componentPath(schemaType) {
    const { owner, name } = firstUse(schemaType);
    return `${owner.includes('.') ? componentPath(owner) : owner}.${name}`;
  }

  function firstUse(schemaType) {
    const uses = [...schema.complex].flatMap(([owner, type]) =>
      type.elements.filter((element) => element.type === schemaType).map((element) => ({ owner, name: element.name })),
    );
    const definitions = uses.filter(({ owner }) => owner !== schemaType);
    return (
      definitions.find(
        ({ owner, name }) => !reused.has(`${owner.includes('.') ? componentPath(owner) : owner}.${name}`),
      ) ?? definitions[0]
    );
  }

  function codeList(name) {
    return schema.codeLists.get(`${name}-list`);
  }

  function requiredCodes(path, type) {
    const { strength = 'required', valueSet } = bindings.get(path) ?? {};
    const name = type === 'code' ? listsOfValueSets[valueSet] : type;
    const codes = name && codeList(name);
    if (!codes || strength !== 'required') return undefined;
    model.valueSets[name] = { '': codes };
    return name;
  }
}

function choice({ options }) {
  const types = options.map(({ type }) => type);
  const { name, type } = options[0];
  const suffix = [capitalized(type), 'Quantity'].find((ending) => name.endsWith(ending));
  return { jsonName: `${name.slice(0, -suffix.length)}[x]`, types };
}

function readProfiles() {
  const folder = join(fhirPackage, 'profiles/dstu2');
  const targets = new Map();
  const bindings = new Map();
  const reused = new Set();
  for (const file of readdirSync(folder)) {
    for (const { path, type = [], binding, nameReference } of JSON.parse(readFileSync(join(folder, file), 'utf8'))
      .snapshot.element) {
      if (nameReference) reused.add(path);
      if (binding)
        bindings.set(path, {
          strength: binding.strength,
          valueSet: lastPart(binding.valueSetReference?.reference ?? ''),
        });
      const references = type.filter(({ code }) => code === 'Reference');
      if (references.length > 0)
        targets.set(
          path,
          references.flatMap(({ profile }) => (profile ? profile.map(lastPart) : ['Resource'])),
        );
    }
  }
  return { targets, bindings, reused };
}

/** Reads the complex types of the schema with their elements, enumerated codes, and patterns of primitives. */
function readSchema(file) {
  const root = parseXml(readFileSync(file, 'utf8')).children.at(-1);
  const complex = new Map();
  const codeLists = new Map();
  const primitives = new Map();
  for (const { tag, attributes, children } of root.children) {
    const { name } = attributes;
    if (tag === 'xs:complexType') complex.set(name, complexType(children));
    if (tag === 'xs:simpleType' && name.endsWith('-list'))
      codeLists.set(
        name,
        all(children, 'xs:enumeration').map((code) => code.attributes.value),
      );
    if (tag === 'xs:simpleType' && name.endsWith('-primitive')) {
      const pattern = all(children, 'xs:pattern')[0]?.attributes.value;
      primitives.set(name, pattern ? { pattern } : {});
    }
  }
  return { complex, codeLists, primitives };
}

function complexType(children) {
  const derivation = all(children, 'xs:extension')[0] ?? all(children, 'xs:restriction')[0];
  const elements = [];
  collect(derivation?.children ?? children);
  return { base: derivation?.attributes.base, restriction: derivation?.tag === 'xs:restriction', elements };

  function collect(nodes) {
    for (const { tag, attributes, children: inner } of nodes) {
      const min = Number(attributes.minOccurs ?? 1);
      const max = attributes.maxOccurs === 'unbounded' ? '*' : (attributes.maxOccurs ?? '1');
      if (tag === 'xs:choice')
        elements.push({ choice: true, min, max, options: all(inner, 'xs:element').map((option) => option.attributes) });
      else if (tag === 'xs:element' && attributes.ref) elements.push({ name: 'div', type: 'xhtml', min, max });
      else if (tag === 'xs:element') elements.push({ name: attributes.name, type: attributes.type, min, max });
      else if (tag === 'xs:attribute' && attributes.name !== 'value')
        elements.push({
          name: attributes.name,
          type: attributes.type.replace('-primitive', ''),
          min: attributes.use === 'required' ? 1 : 0,
          max: '1',
        });
      else collect(inner);
    }
  }
}

const all = (nodes, tag) => nodes.flatMap((node) => [...(node.tag === tag ? [node] : []), ...all(node.children, tag)]);

const entities = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** Parses the XML of a generated schema: elements and attributes. Text and comments are dropped. */
function parseXml(text) {
  const root = { children: [] };
  const open = [root];
  for (const [, comment, closing, tag, attributeText, empty] of text.matchAll(
    /<!--([^]*?)-->|<(\/?)([\w:]+)([^>]*?)(\/?)>/g,
  )) {
    if (comment !== undefined) continue;
    if (closing) {
      open.pop();
      continue;
    }
    const attributes = Object.fromEntries(
      [...attributeText.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity) => entities[entity]),
      ]),
    );
    const node = { tag, attributes, children: [] };
    open.at(-1).children.push(node);
    if (!empty) open.push(node);
  }
  return root;
}
