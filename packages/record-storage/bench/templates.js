'use strict';
const { existsSync, readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { gunzipSync } = require('node:zlib');
const { parseJson, stringifyJson } = require('@tributary/fhir-json');
const { indexValues } = require('@tributary/fhir-search');
const { typeCodeOf } = require('../dist');

/**
 * Resources in the form that the storage takes, with their real search values: from real records, or else generated
 * ones.
 */
function loadTemplates() {
  const folder = join(process.env.TRIBUTARY_DATA ?? join(__dirname, '../../../../shared/data'), 'records/r4');
  const resources = existsSync(folder) ? realResources(folder) : generatedResources();
  return resources.map((resource) => {
    const source = stringifyJson(resource);
    const { resourceType, id: _id, meta = {}, ...members } = resource;
    const { versionId: _version, lastUpdated: _updated, ...ownMeta } = meta;
    return {
      typeCode: typeCodeOf('r4', resourceType),
      body: { meta: inner(ownMeta), members: inner(members) },
      index: indexValues('r4', resource),
      source,
    };
  });
}

const inner = (object) => stringifyJson(object).slice(1, -1);

function realResources(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ndjson.gz') && !file.startsWith('hl7-'));
  return files.flatMap((file) =>
    gunzipSync(readFileSync(join(folder, file)))
      .toString('utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => parseJson(line)),
  );
}

function generatedResources() {
  return Array.from({ length: 500 }, (_, i) => ({
    resourceType: i % 5 ? 'Observation' : 'Condition',
    id: String(i),
    code: {
      coding: [
        { system: 'http://loinc.org', code: `${1000 + (i % 40)}-1`, display: `Something measured, number ${i % 40}` },
      ],
      text: `Something measured, number ${i % 40}`,
    },
    subject: { reference: 'Patient/1' },
    ...(i % 5
      ? {
          status: 'final',
          effectiveDateTime: `20${10 + (i % 15)}-0${1 + (i % 9)}-11T08:${10 + (i % 50)}:00Z`,
          valueQuantity: { value: i / 7, unit: 'mg', system: 'http://unitsofmeasure.org', code: 'mg' },
        }
      : {
          onsetDateTime: `20${10 + (i % 15)}-03-04`,
          note: [{ text: `Noted as case ${i} of the series, without further remarks.` }],
        }),
  }));
}

module.exports = { loadTemplates };
