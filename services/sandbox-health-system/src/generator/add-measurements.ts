import {
  bloodPressure,
  bodyHeight,
  bodyWeight,
  diastolic,
  hemoglobinA1c,
  panels,
  smokingAnswers,
  smokingStatus,
  systolic,
  vitalSigns,
  type Measurement,
} from './codes/measurements';
import { atEncounter, type EncounterFact, type History, type MeasuredValue, type ObservationFact } from './facts';
import type { Random } from './random';

/** The measurements of every encounter. */
export function addVitalSigns(history: History, encounter: EncounterFact, random: Random, index: number): void {
  for (const measurement of [bodyHeight, bodyWeight, ...vitalSigns]) {
    history.observations.push({
      ...atEncounter(encounter),
      id: random.id(`vital-${index}-${measurement.code.code}`),
      category: 'vital-signs',
      code: measurement.code,
      measured: measure(measurement, random),
    });
  }
  history.observations.push({
    ...atEncounter(encounter),
    id: random.id(`pressure-${index}`),
    category: 'vital-signs',
    code: bloodPressure,
    components: [measure(systolic, random), measure(diastolic, random)],
  });
  if (index % 5 === 0) {
    history.observations.push({
      ...atEncounter(encounter),
      id: random.id(`smoking-${index}`),
      category: 'social-history',
      code: smokingStatus,
      answer: random.pick(smokingAnswers),
    });
  }
}

/** Adds a laboratory panel with its report. */
export function addLaboratoryPanel(
  history: History,
  encounter: EncounterFact,
  random: Random,
  index: number,
  sugar: boolean,
): void {
  const panel = random.pick(panels);
  const results = panel.measurements.map((measurement): ObservationFact => ({
    ...atEncounter(encounter),
    id: random.id(`laboratory-${index}-${measurement.code.code}`),
    category: 'laboratory',
    code: measurement.code,
    measured: measure(measurement, random),
  }));
  history.observations.push(...results);
  history.reports.push({
    ...atEncounter(encounter),
    id: random.id(`report-${index}`),
    code: panel.code,
    observationIds: results.map(({ id }) => id),
  });
  if (!sugar) return;
  history.observations.push({
    ...atEncounter(encounter),
    id: random.id(`a1c-${index}`),
    category: 'laboratory',
    code: hemoglobinA1c.code,
    measured: measure(hemoglobinA1c, random),
  });
}

/** A random value in the usual range of a measurement. */
export function measure(measurement: Measurement, random: Random): MeasuredValue {
  return { measurement, value: random.decimal(measurement.low, measurement.high, measurement.decimals) };
}
