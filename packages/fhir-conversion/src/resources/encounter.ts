import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { ACT_CODE, encounterClasses, OLD_ENCOUNTER_CLASS } from '../code-maps/encounter-class';
import { unknownUnless } from '../element-rules/unknown-value';
import { leftToObjectRule, renamed } from '../element-rules/basic-rules';
import type { ElementRule, ConversionRules, ObjectRule, TargetType } from '../rules/element-rule';
import { crossVersionUrl } from '../rules/extension-fallback';
import { setProperty } from '../rules/target-property';
import type { Context } from '../rules/context';
import { NotConvertible } from '../not-convertible';

/** The code becomes a Coding. When the R4 class is more general, the original code is an extension of the Coding. */
const classCoding: ElementRule = (source, target) => {
  const property = target.property('class');
  return (value, companion, draft, context) => {
    if (value !== undefined && typeof value !== 'string')
      throw new NotConvertible(`${source.path} must be a JSON string.`);
    const beside = target.companion(companion, context);
    setProperty(draft, property, {
      ...(value !== undefined && codingOf(value, context)),
      ...(beside && { _code: beside }),
    });
  };
};

function codingOf(oldClass: string, context: Context): JsonObject {
  const found = encounterClasses.get(oldClass);
  if (!found) return { system: OLD_ENCOUNTER_CLASS, code: oldClass };
  const { code, display, wider } = found;
  return {
    ...(wider && { extension: [{ url: crossVersionUrl(context.release, 'Encounter.class'), valueCode: oldClass }] }),
    system: ACT_CODE,
    code,
    display,
  };
}

/** The diagnoses of Encounter.hospitalization in DSTU2, with their role in R4. */
const HOSPITAL_DIAGNOSES = [
  { element: 'admittingDiagnosis', code: 'AD', display: 'Admission diagnosis' },
  { element: 'dischargeDiagnosis', code: 'DD', display: 'Discharge diagnosis' },
] as const;

const DIAGNOSIS_ROLE = 'http://terminology.hl7.org/CodeSystem/diagnosis-role';

/**
 * Moves the diagnoses of the hospitalization to Encounter.diagnosis. A hospitalization without other elements is
 * removed.
 */
function addHospitalDiagnoses(
  hospitalization: JsonValue | undefined,
  draft: JsonObject,
  context: Context,
  target: TargetType,
): void {
  if (!isJsonObject(hospitalization)) return;
  const convert = target.objectConversion('Reference', 'Reference');
  const property = target.property('diagnosis');
  for (const { element, code, display } of HOSPITAL_DIAGNOSES) {
    for (const condition of listOf(hospitalization[element])) {
      setProperty(draft, property, {
        condition: convert(condition, context),
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

const completeDstu2: ObjectRule = ({ hospitalization }, draft, context, target) => {
  addHospitalDiagnoses(hospitalization, draft, context, target);
  unknownUnless(draft, 'class');
};

const common: ConversionRules['elements'] = {
  'Encounter.incomingReferral': renamed('basedOn'),
  'Encounter.reason': renamed('reasonCode'),
};

export const encounterOfDstu2: ConversionRules = {
  elements: {
    ...common,
    'Encounter.class': classCoding,
    'Encounter.hospitalization.admittingDiagnosis': leftToObjectRule,
    'Encounter.hospitalization.dischargeDiagnosis': leftToObjectRule,
    'Encounter.indication': renamed('reasonReference'),
    'Encounter.patient': renamed('subject'),
  },
  objects: { Encounter: completeDstu2 },
};

export const encounterOfStu3: ConversionRules = {
  elements: { ...common, 'Encounter.diagnosis.role': renamed('use') },
  objects: { Encounter: (_source, draft) => unknownUnless(draft, 'class') },
};
