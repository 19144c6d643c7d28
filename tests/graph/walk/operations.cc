// SPDX-License-Identifier: Apache-2.0

// The operations, and how often each is drawn.
#include "tests/graph/walk/walker.h"

namespace walk {

struct Operations::Row {
  const char* name;
  bool (Walker::*run)();
  unsigned weight;
};

const std::vector<Operations::Row>& Operations::rows() {
  static const std::vector<Row> all = {
      {"create", &Walker::create, 6},
      {"clone", &Walker::clone, 4},
      {"destroy", &Walker::destroy, 2},
      {"move", &Walker::move, 1},
      {"add_child", &Walker::add_child_graph, 6},
      {"add_conditional", &Walker::add_conditional_node, 2},
      {"release_and_adopt", &Walker::release_and_adopt, 2},
      {"child_view", &Walker::child_view, 3},
      {"replace_child", &Walker::replace_child, 3},
      {"drain", &Walker::drains, 3},
      {"draining_deleters", &Walker::draining_deleters, 1},
      {"add", &Walker::add, 20},
      {"add_by_function", &Walker::add_by_function, 3},
      {"add_memory", &Walker::add_memory, 1},
      {"set", &Walker::set, 10},
      {"set_by_function", &Walker::set_by_function, 2},
      {"set_owner", &Walker::set_owner, 6},
      {"remove", &Walker::remove, 8},
      {"change_edges", &Walker::change_edges, 6},
      {"instantiate", &Walker::instantiate, 6},
      {"launch", &Walker::launch, 8},
      {"wait", &Walker::wait, 5},
      {"update", &Walker::update, 4},
      {"update_one", &Walker::update_one, 12},
      {"update_child", &Walker::update_child, 3},
      {"update_by_function", &Walker::update_by_function, 3},
      {"enable", &Walker::enable, 2},
      {"destroy_exec", &Walker::destroy_exec, 3},
      {"raw_add", &Walker::raw_add, 4},
      {"raw_destroy_node", &Walker::raw_destroy_node, 4},
      {"raw_clone", &Walker::raw_clone, 2},
      {"raw_child", &Walker::raw_child, 4},
      {"raw_update", &Walker::raw_update, 2},
      {"raw_launch", &Walker::raw_launch, 2},
      {"capture", &Walker::capture, 5},
      {"capture_into", &Walker::capture_into, 3},
      {"fork_onto_itself", &Walker::fork_onto_itself, 1},
      {"closed_handles", &Walker::closed_handles, 2},
      {"wrong_operands", &Walker::wrong_operands, 2},
      {"failing_functions", &Walker::failing_functions, 3},
      {"foreign_nodes", &Walker::foreign_nodes, 2},
      {"adopt_twice", &Walker::adopt_twice, 1},
  };
  return all;
}

std::size_t Operations::count() { return rows().size(); }
const char* Operations::name(std::size_t number) { return rows()[number].name; }
unsigned Operations::weight(std::size_t number) { return rows()[number].weight; }
bool Operations::run(std::size_t number, Walker* walker) { return (walker->*rows()[number].run)(); }

}  // namespace walk
