/** Returns the `limit` numbers that follow the `offset` smallest ones, in order. Reorders the array. */
export function selectSmallest(numbers: Float64Array, offset: number, limit: number): Float64Array {
  if (offset >= numbers.length) return numbers.subarray(0, 0);
  const end = Math.min(numbers.length, offset + limit);
  if (end < numbers.length) partitionSmallest(numbers, end);
  return numbers.subarray(0, end).sort().subarray(offset);
}

/** Quickselect (Hoare): moves the `count` smallest numbers to the front, in any order. */
function partitionSmallest(numbers: Float64Array, count: number): void {
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
