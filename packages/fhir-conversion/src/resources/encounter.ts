import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { ACT_CODE, encounterClasses, OLD_ENCOUNTER_CLASS } from '../code-maps/encounter-class';
import { unknownUnless } from '../changes/absent';
import { leftToCompletion, renamed } from '../changes/moves';
import type { Change, Changes, Completion, Site } from '../rules/change';
import { crossVersionUrl } from '../rules/carrying';
import { place } from '../rules/draft';
import type { Run } from '../rules/run';
import { NotConvertible } from '../not-convertible';

/** The code becomes a Coding; where its class in R4 is wider, the code is carried with it. */
const classCoding: Change = (source, site) => {
  const slot = site.slot('class');
  return (value, companion, draft, run) => {
    if (value !== undefined && typeof value !== 'string')
      throw new NotConvertible(`${source.path} must be a JSON string.`);
    const beside = site.companion(companion, run);
    place(draft, slot, { ...(value !== undefined && codingOf(value, run)), ...(beside && { _code: beside }) });
  };
};

function codingOf(oldClass: string, run: Run): JsonObject {
  const found = Object.hasOwn(encounterClasses, oldClass) ? encounterClasses[oldClass] : undefined;
  if (!found) return { system: OLD_ENCOUNTER_CLASS, code: oldClass };
  const { code, display, wider } = found;
  return {
    ...(wider && { extension: [{ url: crossVersionUrl(run.release, 'Encounter.class'), valueCode: oldClass }] }),
    system: ACT_CODE,
    code,
    display,
  };
}

/** The diagnoses that dstu2 has in the hospitalization, with the roles that R4 gives them. */
const HOSPITAL_DIAGNOSES = [
  { element: 'admittingDiagnosis', code: 'AD', display: 'Admission diagnosis' },
  { element: 'dischargeDiagnosis', code: 'DD', display: 'Discharge diagnosis' },
] as const;

const DIAGNOSIS_ROLE = 'http://terminology.hl7.org/CodeSystem/diagnosis-role';

/** Of a hospitalization that had nothing but diagnoses, nothing remains. */
function addHospitalDiagnoses(hospitalization: JsonValue | undefined, draft: JsonObject, run: Run, site: Site): void {
  if (!isJsonObject(hospitalization)) return;
  const convert = site.object('Reference', 'Reference');
  const slot = site.slot('diagnosis');
  for (const { element, code, display } of HOSPITAL_DIAGNOSES) {
    for (const condition of listOf(hospitalization[element])) {
      place(draft, slot, {
        condition: convert(condition, run),
        use: { coding: [{ system: DIAGNOSIS_ROLE, code, display }] },
      });
    }
  }
  const { hospitalization: converted } = draft;
  if (isJsonObject(converted) && Object.keys(converted).every((name) => name === 'id')) delete draft['hospitalization'];
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

const completeDstu2: Completion = ({ hospitalization }, draft, run, site) => {
  addHospitalDiagnoses(hospitalization, draft, run, site);
  unknownUnless(draft, 'class');
};

const common: Changes['elements'] = {
  'Encounter.incomingReferral': renamed('basedOn'),
  'Encounter.reason': renamed('reasonCode'),
};

export const encounterOfDstu2: Changes = {
  elements: {
    ...common,
    'Encounter.class': classCoding,
    'Encounter.hospitalization.admittingDiagnosis': leftToCompletion,
    'Encounter.hospitalization.dischargeDiagnosis': leftToCompletion,
    'Encounter.indication': renamed('reasonReference'),
    'Encounter.patient': renamed('subject'),
  },
  completions: { Encounter: completeDstu2 },
};

export const encounterOfStu3: Changes = {
  elements: { ...common, 'Encounter.diagnosis.role': renamed('use') },
  completions: { Encounter: (_source, draft) => unknownUnless(draft, 'class') },
};
