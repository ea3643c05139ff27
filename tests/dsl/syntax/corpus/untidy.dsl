

# top
def   f( x:f32[ n,3 ] ,* ,static k :int=3)->f32!{rand,e}   where n>3 and k<2=
  # first
  let y=x[ 1:-1,i:i+k , ...,None ]   # trailing
  let z = if y>0 then
             a
          # before else
          else
             -b  ** - 2


  # two blanks above
  let w = some_function_name(argument_number_one, argument_number_two, keyword=argument_number_three, other=[1,2,3])
  let q = xs |> map( fn y->
       let t=y
       # inner end
       t+1 , axis = 0)
      |> g
  with handler sample( name,d )->resume(d.loc) ,state s=3 do
      model( x )
      # after
  # end
  match x with
   A(x)->3
   B -> # hi
     4
## doc
def g()=1 # last
# tail


