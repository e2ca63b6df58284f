/** The `limit` numbers that follow the `offset` smallest, in order; the array is used up. */
export function smallest(numbers: Float64Array, offset: number, limit: number): Float64Array {
  if (offset >= numbers.length) return numbers.subarray(0, 0);
  const end = Math.min(numbers.length, offset + limit);
  if (end < numbers.length) moveSmallestToFront(numbers, end);
  return numbers.subarray(0, end).sort().subarray(offset);
}

/** Hoare's selection: afterwards the `count` smallest stand in front, in any order. */
function moveSmallestToFront(numbers: Float64Array, count: number): void {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const pivot = numbers[(low + high) >>> 1]!;
    let left = low;
    let right = high;
    while (left <= right) {
      while (numbers[left]! < pivot) left++;
      while (numbers[right]! > pivot) right--;
      if (left <= right) {
        const swapped = numbers[left]!;
        numbers[left++] = numbers[right]!;
        numbers[right--] = swapped;
      }
    }
    if (count - 1 <= right) high = right;
    else if (count - 1 >= left) low = left;
    else return;
  }
}
