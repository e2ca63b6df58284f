import { decimalValue, isDecimal, isJsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { splitUnescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { matchAll, type Criterion } from './criterion';

const earthRadiusKm = 6371.0088;
/** The distance for a search without one. */
const defaultKm = 50;
const kmOf = new Map(
  Object.entries({
    km: 1,
    m: 0.001,
    mi: 1.609344,
    '[mi_i]': 1.609344,
    ft: 0.0003048,
    '[ft_i]': 0.0003048,
  }),
);

/**
 * `near` of Location (https://hl7.org/fhir/R4/location.html#positional): `latitude|longitude|distance|unit` in R4,
 * `latitude:longitude` and the parameter `near-distance` in DSTU2 and STU3. Both forms are accepted in every release.
 */
export function nearCriterion(parameter: string, text: string, nearDistance: string | undefined): Criterion {
  const points = splitUnescaped(text, ',').map((each) => parsePoint(parameter, each, nearDistance));
  return {
    parameter,
    condition: matchAll,
    exact: false,
    matches: (resource) => {
      const at = positionOf(resource);
      return at !== undefined && points.some((point) => distanceKm(at, point) <= point.km);
    },
  };
}

interface Position {
  latitude: number;
  longitude: number;
}

function parsePoint(parameter: string, text: string, nearDistance: string | undefined): Position & { km: number } {
  const [latitude = '', longitude = '', distance = '', unit = ''] = text.includes('|')
    ? splitUnescaped(text, '|')
    : text.split(':');
  const point = { latitude: Number(latitude), longitude: Number(longitude) };
  const inside =
    latitude !== '' && longitude !== '' && Math.abs(point.latitude) <= 90 && Math.abs(point.longitude) <= 180;
  const km =
    distance === '' ? distanceOf(nearDistance) : Number(distance) * (kmOf.get(unit === '' ? 'km' : unit) ?? Number.NaN);
  if (!inside || !(km >= 0))
    throw new SearchError(parameter, 'invalid', `${parameter} takes latitude|longitude|distance|unit`);
  return { ...point, km };
}

function distanceOf(nearDistance: string | undefined): number {
  if (nearDistance === undefined) return defaultKm;
  const [number = '', , unit = ''] = splitUnescaped(nearDistance, '|');
  return Number(number.replace(/^(eq|le|lt|ap)/, '')) * (kmOf.get(unit === '' ? 'km' : unit) ?? Number.NaN);
}

function positionOf(resource: Resource): Position | undefined {
  const position: JsonValue | undefined = resource['position'];
  if (!isJsonObject(position)) return undefined;
  const { latitude, longitude } = position;
  return isDecimal(latitude) && isDecimal(longitude)
    ? { latitude: decimalValue(latitude), longitude: decimalValue(longitude) }
    : undefined;
}

function distanceKm(a: Position, b: Position): number {
  const radians = Math.PI / 180;
  const north = Math.sin(((b.latitude - a.latitude) * radians) / 2) ** 2;
  const east = Math.sin(((b.longitude - a.longitude) * radians) / 2) ** 2;
  const chord = north + Math.cos(a.latitude * radians) * Math.cos(b.latitude * radians) * east;
  return 2 * earthRadiusKm * Math.asin(Math.sqrt(chord));
}
