/** Whether the service takes an order for a product: it is in use, and somebody has said how it is made. */
export function isOrderable(product: { active: boolean; trash: boolean; process_phases: readonly unknown[] }): boolean {
  return product.active && !product.trash && product.process_phases.length > 0
}
