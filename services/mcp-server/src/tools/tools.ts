import { allergies } from '../categories/allergies';
import { documents } from '../categories/documents';
import { encounters } from '../categories/encounters';
import { immunizations } from '../categories/immunizations';
import { medications } from '../categories/medications';
import { problems } from '../categories/problems';
import { procedures } from '../categories/procedures';
import { getPatientSummary } from './get-patient-summary';
import { listConnections } from './list-connections';
import { listTool } from './list-tool';
import { measurementTool } from './measurement-tool';
import { readDocument } from './read-document';
import { readFhirResource } from './read-fhir-resource';
import { searchFhir } from './search-fhir';
import type { Tool } from './tool';

/** Every tool, in the order in which clients see them. */
export const tools: readonly Tool[] = [
  getPatientSummary,
  listTool(problems),
  listTool(medications),
  listTool(allergies),
  measurementTool('laboratory', {
    name: 'list_lab_results',
    title: 'Laboratory results with trends',
    noun: 'laboratory results',
    description:
      'Lists laboratory tests (FHIR Observation), each with its latest results, units, reference range and trend; tests with the newest result first. Results in different units are never compared. Use test and history for the course of one test.',
  }),
  measurementTool('vital signs', {
    name: 'list_vital_signs',
    title: 'Vital signs with trends',
    noun: 'vital signs',
    description:
      'Lists vital signs (FHIR Observation) such as blood pressure, weight and pulse, each with its latest values, units and trend; those with the newest value first. Use test and history for the course of one.',
  }),
  listTool(immunizations),
  listTool(procedures),
  listTool(encounters),
  listTool(documents),
  readDocument,
  searchFhir,
  readFhirResource,
  listConnections,
];
