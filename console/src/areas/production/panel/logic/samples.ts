/*
 * Records for the tests of this folder.
 */

import type { Declared, Job, JobDetail, Line, Step, Unit } from '../model'

export function step(key: string, rest: Partial<Step> = {}): Step {
  const base = { _id: `Step/${key}`, _key: key, _rev: '_1', title: key, description: null, trashed: null, media: [] }
  return { ...base, type: 'instruction', form_fields: [], ...rest }
}

export function job(rest: Partial<Job> = {}): Job {
  return {
    _id: 'Job/j',
    _key: 'j',
    _rev: '_1',
    wo_key: 'o',
    wo_code: 'WO-1',
    phase_key: 'p1',
    phase_alias: 'Assembly',
    product_key: 'lamp',
    product_code: 'LAMP',
    product_description: null,
    operation_key: 'op',
    project_code: null,
    parameters: {
      parallel_job_allowed: true,
      step_check: true,
      step_check_force_order: true,
      production_batch_qt: 2,
      auto_new_batch: true,
      max_offline: 300,
      std_processing_time: 60,
      unsupervised_work_allowed: false,
      display_job_timer: false,
    },
    first_phase: true,
    last_phase: false,
    step_sequence: [],
    job_docs: [],
    traceability_level: 'complete',
    serial_code_on_creation: false,
    notes: null,
    extra: null,
    stage: 'created',
    active: false,
    close_reason: null,
    critical: false,
    on_time: true,
    start_from: null,
    due_by: null,
    start: null,
    end: null,
    assigned_to: 'anna',
    progress: 0,
    forced: null,
    qt_planned: 10,
    qt_completed: 0,
    qt_released: 0,
    qt_scrap: 0,
    active_batch_key: null,
    active_batch_qt: 0,
    next_batch_available: true,
    last_work_session_started: null,
    last_online: null,
    estimated_completion: null,
    issues_total: 0,
    issues_open: 0,
    assigned_user: null,
    ...rest,
  }
}

export function jobDetail(rest: Partial<JobDetail> = {}): JobDetail {
  const more = {
    wo_bom: [],
    issue_count: 0,
    message_count: 0,
    product_notes: null,
    phase_notes: null,
    order_notes: null,
  }
  return { ...job(), ...more, ...rest }
}

export function line(component: string, qt: number | string, rest: Partial<Line> = {}): Line {
  return {
    component_key: component,
    component_code: component.toUpperCase(),
    component_description: null,
    qt,
    phase_key: 'p1',
    phase_name: 'Assembly',
    traceability_level: 'complete',
    manage_inventory: true,
    consumption_options: {
      consumption_position_key: null,
      consumption_position_mandatory: false,
      minimum_quantity_if_negative: false,
      minimum_quantity: null,
    },
    extra: null,
    declared_serials: [],
    ...rest,
  }
}

export function unit(key: string, code: string | null = key.toUpperCase(), counter: string | null = 'c'): Unit {
  return { serial_key: key, serial_code: code, counter_key: counter, active: true }
}

export function declared(key: string, component: string, parent: string | null): Declared {
  return {
    _key: key,
    code: key.toUpperCase(),
    phase_key: 'p1',
    component_key: component,
    parent_serial_key: parent,
    batch_key: 'b',
    link_key: `l-${key}`,
  }
}
