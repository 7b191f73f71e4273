#pragma once

/// The analyses of the contract: each a pure function from the study to a table, in a file named for what it computes.

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

Table model_information(const Study& study);        // A1
Table layer_information(const Study& study);        // A2
Table layer_latency(const Study& study);            // A3
Table layer_memory(const Study& study);             // A4
Table layer_type_distribution(const Study& study);  // A5
Table latency_by_layer_type(const Study& study);    // A6
Table memory_by_layer_type(const Study& study);     // A7
Table kernel_information(const Study& study);       // A8
Table kernel_roofline(const Study& study);          // A9
Table kernels_by_name(const Study& study);          // A10
Table kernels_by_layer(const Study& study);         // A11
Table metrics_by_layer(const Study& study);         // A12
Table gpu_latency(const Study& study);              // A13
Table layer_roofline(const Study& study);           // A14
Table kernels_by_model(const Study& study);         // A15
Table library_calls(const Study& study);            // C1
Table library_functions(const Study& study);        // C2
Table iterations(const Study& study);               // D1
Table iteration_statistics(const Study& study);     // D2
Table streams(const Study& study);                  // D3
Table diagnosis_table(const Study& study);          // D4
Table levels(const Study& study);                   // L1
Table models(const Study& study);                   // M1
Table trace_quality(const Study& study);            // Q1
Table spans_by_name(const Study& study);            // Q2
Table spans_over_time(const Study& study);          // Q3

}  // namespace xsp::analysis
